import { BEFORE_HEADER } from "../../contract/common.ts";
import { readFirst } from "../api/pages.ts";
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

/** Lists audited operations, the newest first. */
export async function listAudit(context: Context, { limit, ...filters }: AuditFlags): Promise<void> {
  const client = context.client();
  const shown = await readFirst({ limit, header: BEFORE_HEADER }, (from, per_page) =>
    client.ask.audit.list({ query: { ...filters, before: from ?? filters.before, per_page } }),
  );
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
