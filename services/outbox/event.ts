import { v7 as uuidv7 } from "uuid";
import type { WorkspaceEvent } from "../../contract/events.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";

/** How long an event that nobody consumed is kept. */
const KEPT_S = 7 * 24 * 3600;

/** The outbox item of a change: a part of the change's own transaction, so that neither happens without the other. */
export function buildEventWrite(event: Omit<WorkspaceEvent, "id">) {
  const id = uuidv7();
  return write.put({
    ...keys.outbox(event.workspace, id),
    value: { id, ...event } satisfies WorkspaceEvent,
    expiresAtS: Math.ceil(event.atMs / 1000) + KEPT_S,
  });
}
