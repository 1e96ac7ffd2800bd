import { expect, it } from "vitest";
import { newWorld } from "../../../test/support/use-cases/world.ts";
import { addJob, addScript, addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";
import { checkQueueLimit, findQueuePosition } from "./queue-limit.ts";

it("the position in the queue counts the waiting jobs of the workspace that are due until a time", async () => {
  const world = await newWorld();
  await addWorkspace(world);
  const { hash } = await addScript(world);
  const { nowMs } = world.clock;
  const position = (afterMs: number) => findQueuePosition(world.deps, world.workspace, nowMs + afterMs);
  expect(await position(0)).toBeUndefined();
  await addJob(world, { hash });
  await addJob(world, { hash });
  await addJob(world, { hash, scheduledForMs: nowMs + 60_000 });
  expect([await position(-1), await position(0), await position(60_000)]).toEqual([undefined, 2, 3]);
  expect(await findQueuePosition(world.deps, "elsewhere", nowMs)).toBeUndefined();
  await checkQueueLimit(world.deps, world.workspace, 3);
  await expect(checkQueueLimit(world.deps, world.workspace, 2)).rejects.toMatchObject({ code: "queue.full" });
});
