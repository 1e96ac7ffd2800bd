import * as z from "zod";
import type { Anchor, ApprovalEntry } from "../../contract/approval-record.ts";
import { approvalRecordRoutes as routes } from "../../contract/routes/approvals/approval-records.ts";

interface Whom {
  url: string;
  token: string;
  workspace: string;
}

export interface RecordRead {
  entries: ApprovalEntry[];
  /** `signature`: the result of KMS at the time of the download. */
  anchors: (Anchor & { signature: "valid" | "invalid" })[];
}

/** The complete record of a workspace, as returned by the service. */
export async function readRecord(whom: Whom): Promise<RecordRead> {
  // Anchors are read first, because entries that are signed later may be newer than the downloaded ones.
  const anchors = await readAnchors(whom);
  const entries: ApprovalEntry[] = [];
  let before: string | undefined;
  do {
    const page = await get(whom, routes.auditApprovals, { before });
    entries.push(...page.entries);
    before = page.before;
  } while (before !== undefined);
  return { entries, anchors };
}

async function readAnchors(whom: Whom): Promise<RecordRead["anchors"]> {
  const anchors: RecordRead["anchors"] = [];
  let from: number | undefined;
  do {
    const page = await get(whom, routes.listAnchors, { from });
    anchors.push(...page.anchors);
    from = page.next;
  } while (from !== undefined);
  return anchors;
}

async function get<S extends z.ZodType>(
  { url, token, workspace }: Whom,
  { path, reply }: { path: string; reply: { json: S } },
  query: Record<string, string | number | undefined>,
): Promise<z.output<S>> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, `${value}`);
  const requestUrl = `${url}${path.replace("{workspace}", encodeURIComponent(workspace))}?${search}`;
  const answer = await fetch(requestUrl, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`The service returned ${answer.status}: ${await answer.text()}`);
  const read = reply.json.safeParse(await answer.json());
  if (!read.success) throw new Error(`The service returned an unexpected response: ${z.prettifyError(read.error)}`);
  return read.data;
}
