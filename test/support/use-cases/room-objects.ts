import { expect } from "vitest";
import { createFolder } from "../../../services/workspaces/folders.ts";
import { newRoom, type Room } from "./room.ts";
import { addEndpoint } from "./room-events.ts";
import { addWorkspace } from "./room-jobs.ts";
import { anAdmin } from "./room-people.ts";

/** A room whose workspace has the folder `f/t` and an endpoint, so that its changes write events. */
export async function newRoomWithFolder(): Promise<Room> {
  const room = await newRoom();
  await addWorkspace(room);
  await createFolder(room.deps, anAdmin, room.workspace, { name: "t" } as Parameters<typeof createFolder>[3]);
  await addEndpoint(room);
  return room;
}

/** Repeats a call, which succeeds or is refused with one of these codes. */
export const repeat = (call: () => Promise<unknown>, codes: string[]) =>
  call().then(
    () => undefined,
    (error: unknown) => expect(codes).toContain((error as { code?: string }).code ?? String(error)),
  );
