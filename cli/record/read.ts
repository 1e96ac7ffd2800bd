import * as z from "zod";
import type { Anchor, ApprovalEntry } from "../../contract/approval-record.ts";
import type { OperationName } from "../../contract/client/operation.ts";
import { approvalRecordRoutes as routes } from "../../contract/routes/approvals/approval-records.ts";
import type { ApiClient } from "../api/client.ts";
import { CommandError } from "../errors.ts";

export interface RecordRead {
  entries: ApprovalEntry[];
  /** `signature`: the result of KMS at the time of the download. */
  anchors: (Anchor & { signature: "valid" | "invalid" })[];
}

/** The complete record of a workspace, as returned by the service. */
export async function readRecord(client: ApiClient): Promise<RecordRead> {
  // Anchors are read first, because entries that are signed later may be newer than the downloaded ones.
  const anchors = await readAnchors(client);
  const entries: ApprovalEntry[] = [];
  let before: string | undefined;
  do {
    const page = await read(client, routes.auditApprovals, { before });
    entries.push(...page.entries);
    before = page.before;
  } while (before !== undefined);
  return { entries, anchors };
}

async function readAnchors(client: ApiClient): Promise<RecordRead["anchors"]> {
  const anchors: RecordRead["anchors"] = [];
  let from: number | undefined;
  do {
    const page = await read(client, routes.listAnchors, { from });
    anchors.push(...page.anchors);
    from = page.next;
  } while (from !== undefined);
  return anchors;
}

async function read<S extends z.ZodType>(
  client: ApiClient,
  { name, reply }: { name: OperationName; reply: { json: S } },
  query: Record<string, string | number | undefined>,
): Promise<z.output<S>> {
  const answer = await client.callAny(name, { query });
  const parsed = reply.json.safeParse(answer);
  if (!parsed.success) throw new CommandError(`The service returned an unexpected response: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
