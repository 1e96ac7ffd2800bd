import { toRequest } from "../../../../../contract/client/request.ts";
import { operations } from "../../data/api.ts";
import { quoteForShell } from "../../parts/quote-for-shell.ts";
import type { RunJob } from "./use-run.ts";

/** Returns a command that starts the newest version with the same arguments. It reads the token from `$TOKEN`. */
export function curlOf(origin: string, workspace: string, { script_path: path, job_kind, args = {} }: RunJob): string | undefined {
  if (!path) return undefined;
  const name = job_kind === "flow" ? "jobs.run.flows" : "jobs.run.scripts";
  const { address } = toRequest(operations, name, { workspace, path });
  return [
    `curl -sS -X POST ${quoteForShell(`${origin}${address}`)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoteForShell(JSON.stringify(args))}`,
  ].join(" \\\n  ");
}
