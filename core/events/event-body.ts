import { INSTANCE } from "../../contract/common.ts";
import { type SvcEvent, TEST_EVENT } from "../../contract/events.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";

/** Returns the body of an event's request, in the form of Standard Webhooks. */
export function buildEventBody(event: SvcEvent): { type: string; timestamp: string; data: Record<string, unknown> } {
  const { type, workspace, by, atMs } = event;
  const data = event.type === TEST_EVENT ? {} : event.data;
  return { type, timestamp: toIsoTime(atMs), data: workspace === INSTANCE ? data : { workspace_id: workspace, by, ...data } };
}
