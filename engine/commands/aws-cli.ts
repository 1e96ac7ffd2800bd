import { Complaint } from "../launch/complaint.mjs";
import { lastLines, runCommand } from "./command.ts";

/** Runs the AWS CLI, which already has the person's sign-in, because they deployed with it. Returns its output as JSON text. */
export async function aws(...args: string[]): Promise<string> {
  const env = { AWS_RETRY_MODE: "standard", AWS_MAX_ATTEMPTS: "5", ...process.env, AWS_PAGER: "" };
  const { code, output } = await runCommand("aws", [...args, "--output", "json"], { env });
  if (code === -1) throw new Complaint("aws was not found: install the AWS CLI and sign in to the account.");
  if (code !== 0) throw new Complaint(`aws ${args.slice(0, 2).join(" ")} failed.\n${lastLines(output)}`);
  return output;
}

export const parsed = async <T>(...args: string[]): Promise<T> => JSON.parse((await aws(...args)) || "{}") as T;

/** The settings of an AWS client that reaches the region of the AWS CLI, which also reads `AWS_DEFAULT_REGION`. */
export function clientConfig(): { maxAttempts: number; region?: string } {
  const region = process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
  return { maxAttempts: 10, ...(region ? { region } : {}) };
}
