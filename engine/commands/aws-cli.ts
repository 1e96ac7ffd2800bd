import { Complaint } from "../launch/complaint.mjs";
import { lastLines, runCommand } from "./command.ts";

/**
 * Runs the AWS CLI, which already has the user's credentials. Returns its exit code, and its output as JSON text. Throws a complaint if the CLI
 * is missing.
 */
export async function runAws(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<{ code: number; output: string }> {
  const env = { AWS_RETRY_MODE: "standard", AWS_MAX_ATTEMPTS: "5", ...process.env, AWS_PAGER: "", ...variables };
  const { code, output } = await runCommand("aws", [...args, "--output", "json"], { env });
  if (code === -1) throw new Complaint("aws was not found: install the AWS CLI and sign in to the account.");
  return { code, output };
}

/** Runs the AWS CLI and returns its output. Throws a complaint if AWS refuses the call. */
export async function aws(...args: string[]): Promise<string> {
  const { code, output } = await runAws(args);
  if (code !== 0) throw new Complaint(`aws ${args.slice(0, 2).join(" ")} failed.\n${lastLines(output)}`);
  return output;
}

export const parsed = async <T>(...args: string[]): Promise<T> => JSON.parse((await aws(...args)) || "{}") as T;

/** The settings of an AWS client that reaches the region of the AWS CLI, which also reads `AWS_DEFAULT_REGION`. */
export function clientConfig(): { maxAttempts: number; region?: string } {
  const region = namedRegion();
  return { maxAttempts: 10, ...(region ? { region } : {}) };
}

/** Returns the region that a variable names, as the AWS CLI reads it. */
export const namedRegion = (): string | undefined => process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
