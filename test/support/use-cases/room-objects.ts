import { expect } from "vitest";
import type { WorkspaceEvent } from "../../../contract/events.ts";
import { keys } from "../../../core/objects/keys.ts";
import { createFolder } from "../../../services/workspaces/folders.ts";
import { newRoom, type Room } from "./room.ts";
import { addWorkspace } from "./room-jobs.ts";
import { anAdmin } from "./room-people.ts";

/** A room whose workspace has the folder `f/t`. */
export async function newRoomWithFolder(): Promise<Room> {
  const room = await newRoom();
  await addWorkspace(room);
  await createFolder(room.deps, anAdmin, room.workspace, { name: "t" } as Parameters<typeof createFolder>[3]);
  return room;
}

/** The types of the events of an object, in the order of their writing. */
export async function eventsOf({ deps, workspace }: Room, object: string): Promise<string[]> {
  const events = (await deps.objects.list(keys.outbox(workspace, "").pk)).map(({ value }) => value as WorkspaceEvent);
  return events.filter((event) => event.object === object).map(({ type }) => type);
}

/** Repeats a call, which succeeds or is refused with one of these codes. */
export const repeat = (call: () => Promise<unknown>, codes: string[]) =>
  call().then(
    () => undefined,
    (error: unknown) => expect(codes).toContain((error as { code?: string }).code ?? String(error)),
  );
