import { v7 as uuidv7 } from "uuid";
import type { WorkspaceEvent } from "../../contract/events.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { TransactionPart } from "./commit-parts.ts";

/** The retention of an event that no consumer has read, in seconds. */
const RETENTION_S = 7 * 24 * 3600;

/** Builds the outbox item of a change. It is part of the change's own transaction, so that neither happens without the other. */
export function buildEventWrite(event: Omit<WorkspaceEvent, "id">) {
  const id = uuidv7();
  return write.put({
    ...keys.outbox(event.workspace, id),
    value: { id, ...event } satisfies WorkspaceEvent,
    expiresAtS: Math.ceil(event.atMs / 1000) + RETENTION_S,
  });
}

/** Builds the part of a transaction that writes the event of a change. */
export function buildEventPart(event: Omit<WorkspaceEvent, "id">): TransactionPart {
  return { write: buildEventWrite(event), refused: undefined };
}
