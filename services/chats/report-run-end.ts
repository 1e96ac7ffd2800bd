import { v5 as uuidv5 } from "uuid";
import { waitsInChat } from "../../core/approvals/gate.ts";
import { hasEnded } from "../../core/jobs/record/job.ts";
import { loadGate } from "../approvals/gates/change-gate.ts";
import { buildNotice, toNoticeObject } from "../outbox/notice.ts";
import type { Uses } from "../uses.ts";
import { listGatesInChats } from "./messages.ts";

/**
 * Writes a notice for each request for a decision that an ended flow leaves open in chats, so that its messages lose their buttons. No request of
 * an ended flow can be decided. The id of a notice follows from the request: a repeated call writes nothing.
 */
export async function reportRunEnd(deps: Uses<"jobs" | "objects" | "nowMs">, id: string): Promise<void> {
  const flow = await deps.jobs.get(id);
  if (!flow || !hasEnded(flow) || !flow.followUp || !flow.chats) return;
  for (const gateId of await listGatesInChats(deps, flow.id)) {
    const gate = await loadGate(deps, gateId);
    if (!gate || !waitsInChat(gate)) continue;
    // The module may be deleted. The messages show its texts already.
    const module = { id: gate.module, value: { type: "identity" as const } };
    const notice = { ...buildNotice(deps.nowMs(), "ended", { gate, flow, module }), id: uuidv5("ended", gate.id) };
    await deps.objects.put(toNoticeObject(notice), "absent");
  }
}
