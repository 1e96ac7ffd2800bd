import { parseArgs } from "node:util";
import { checkRecord } from "./record/check.ts";
import { readRecord } from "./record/read.ts";

const USAGE =
  "node cli/audit-verify.ts --workspace <workspace> [--url <origin>] [--token <token>]\n" +
  "Reads the record of approvals and computes it again. The token (default: SVC_TOKEN) is an admin's; the url (default: SVC_URL, else\n" +
  "http://localhost:8000) is the service's. Ends with 1 where the record is not what was written, with 2 where it could not be read.";

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
  console.log(faults.length === 0 ? "The record is what was written." : "The record is not what was written.");
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
