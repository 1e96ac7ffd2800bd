import { parseArgs } from "node:util";
import { checkRecord } from "./record/check.ts";
import { readRecord } from "./record/read.ts";

const USAGE =
  "node cli/audit-verify.ts --workspace <workspace> [--url <origin>] [--token <token>]\n" +
  "Verifies the record of approvals. --token is the token of an admin (default: SVC_TOKEN). --url is the origin of the service (default: SVC_URL, else\n" +
  "http://localhost:8000). The exit code is 1 if the record was changed and 2 if it could not be read.";

async function main(): Promise<number> {
  const { url, token, workspace } = options();
  if (!token || !workspace) {
    console.error(USAGE);
    return 2;
  }
  const record = await readRecord({ url: url.replace(/\/+$/, ""), token, workspace });
  const { faults, runs, entries, anchors, signedTo } = checkRecord(workspace, record);
  console.log(`${entries} entries of ${runs} runs, ${anchors} anchors${signedTo ? `, signed to ${signedTo}` : ""}.`);
  for (const fault of faults) console.error(fault);
  console.log(faults.length === 0 ? "The record is intact." : "The record was changed.");
  return faults.length === 0 ? 0 : 1;
}

function options() {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ options: { url: text, token: text, workspace: text } });
  const { SVC_URL, SVC_TOKEN } = process.env;
  return { url: values.url ?? SVC_URL ?? "http://localhost:8000", token: values.token ?? SVC_TOKEN, workspace: values.workspace };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
