import { BEFORE_HEADER } from "../../contract/common.ts";
import type { AuditJson } from "../../contract/routes/workspaces/audit.ts";
import type { Context } from "../context.ts";
import { CommandError, exitCodes } from "../errors.ts";
import { checkRecord } from "../record/check.ts";
import { readRecord } from "../record/read.ts";

interface AuditFlags {
  username?: string;
  operation?: string;
  resource?: string;
  after?: string;
  before?: string;
  limit: number;
}

const PER_PAGE = 100;

/** Lists audited operations, the newest first. */
export async function listAudit(context: Context, { limit, ...filters }: AuditFlags): Promise<void> {
  const client = context.client();
  const entries: AuditJson[] = [];
  let { before } = filters;
  do {
    const query = { ...filters, before, per_page: Math.min(PER_PAGE, limit) };
    const response = await client.fetch("GET", "audit/list", { query });
    entries.push(...((await response.json()) as AuditJson[]));
    before = response.headers.get(BEFORE_HEADER) ?? undefined;
  } while (before !== undefined && entries.length < limit);
  const shown = entries.slice(0, limit);
  const rows = shown.map(({ timestamp, username, operation, resource }) => [timestamp, username, operation, resource]);
  context.output.data(shown, context.output.table(["TIME", "USERNAME", "OPERATION", "RESOURCE"], rows));
}

/** Verifies the record of approvals independently of the service. Exits with 1 if it was changed, and with 2 if it cannot be read. */
export async function verifyAudit(context: Context): Promise<number> {
  const client = context.client();
  const record = await readRecord(client).catch((error: unknown) => {
    throw error instanceof CommandError ? new CommandError(error.message, { exitCode: exitCodes.usage, cause: error }) : error;
  });
  const checked = checkRecord(client.options.workspace, record);
  const { faults, runs, entries, anchors, signedTo } = checked;
  const lines = [
    `${entries} entries of ${runs} runs, ${anchors} anchors${signedTo ? `, signed to ${signedTo}` : ""}.`,
    ...faults,
    faults.length === 0 ? "The record is intact." : "The record was changed.",
  ];
  context.output.data(checked, lines.join("\n"));
  return faults.length === 0 ? exitCodes.done : exitCodes.failed;
}
