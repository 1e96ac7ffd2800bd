import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { parseConfig, type StackConfig } from "../../../lib/config.ts";
import { Complaint } from "../../launch/complaint.mjs";
import { root } from "../../paths.ts";

/** The settings of a deployment, in the form that the user passes to cdk. */
export interface Settings {
  input: Record<string, unknown>;
  config: StackConfig;
  /** The profile of the AWS CLI that cdk uses, if one is named. */
  profile: string | undefined;
}

/** Reads the settings from the arguments for cdk, `-c svc='{…}'`, and otherwise from cdk.json. cdk reads its other arguments itself. */
export async function readSettings(args: readonly string[]): Promise<Settings> {
  const options = { context: { type: "string", short: "c", multiple: true }, profile: { type: "string" } } as const;
  const { values } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true });
  const contexts = (values.context ?? []).filter((context) => typeof context === "string");
  const text = contexts.findLast((context) => context.startsWith("svc="))?.slice("svc=".length);
  const input = text === undefined ? await readFromFile() : readJson(text);
  try {
    const config = parseConfig(input);
    return {
      input: (input ?? {}) as Record<string, unknown>,
      config,
      profile: typeof values.profile === "string" ? values.profile : undefined,
    };
  } catch (error) {
    throw new Complaint((error as Error).message);
  }
}

async function readFromFile(): Promise<unknown> {
  const { context } = JSON.parse(await readFile(path.join(root, "cdk.json"), "utf8")) as { context?: { svc?: unknown } };
  return typeof context?.svc === "string" ? readJson(context.svc) : context?.svc;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Complaint(`The context key svc is not JSON: ${text.slice(0, 200)}`);
  }
}
