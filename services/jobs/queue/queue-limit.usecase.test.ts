import { expect, it } from "vitest";
import { newRoom } from "../../../test/support/use-cases/room.ts";
import { addJob, addScript, addWorkspace } from "../../../test/support/use-cases/room-jobs.ts";
import { checkQueueLimit, findQueuePosition } from "./queue-limit.ts";

it("the position in the queue counts the waiting jobs of the workspace that are due until a time", async () => {
  const room = await newRoom();
  await addWorkspace(room);
  const { hash } = await addScript(room);
  const { nowMs } = room.clock;
  const position = (afterMs: number) => findQueuePosition(room.deps, room.workspace, nowMs + afterMs);
  expect(await position(0)).toBeUndefined();
  await addJob(room, { hash });
  await addJob(room, { hash });
  await addJob(room, { hash, scheduledForMs: nowMs + 60_000 });
  expect([await position(-1), await position(0), await position(60_000)]).toEqual([undefined, 2, 3]);
  expect(await findQueuePosition(room.deps, "elsewhere", nowMs)).toBeUndefined();
  await checkQueueLimit(room.deps, room.workspace, 3);
  await expect(checkQueueLimit(room.deps, room.workspace, 2)).rejects.toMatchObject({ code: "queue.full" });
});
