import { expect } from "vitest";
import { createFolder } from "../../../services/folders/folders.ts";
import { newWorld, type World } from "./world.ts";
import { addEndpoint } from "./world-events.ts";
import { addWorkspace } from "./world-jobs.ts";
import { anAdmin } from "./world-people.ts";

/** A world whose workspace has the folder `f/t` and an endpoint, so that its changes write events. */
export async function newWorldWithFolder(): Promise<World> {
  const world = await newWorld();
  await addWorkspace(world);
  await createFolder(world.deps, anAdmin, world.workspace, { name: "t" } as Parameters<typeof createFolder>[3]);
  await addEndpoint(world);
  return world;
}

/** Repeats a call, which succeeds or is refused with one of these codes. */
export const repeat = (call: () => Promise<unknown>, codes: string[]) =>
  call().then(
    () => undefined,
    (error: unknown) => expect(codes).toContain((error as { code?: string }).code ?? String(error)),
  );
