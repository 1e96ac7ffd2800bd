import { beforeAll, expect, it } from "vitest";
import { type Room, success } from "../../../test/support/use-cases/room.ts";
import { addJob, newScriptRoom, passTime } from "../../../test/support/use-cases/room-jobs.ts";
import { readUsage } from "./usage.ts";

let room: Room;
let hash: string;
beforeAll(async () => {
  ({ room, hash } = await newScriptRoom());
});

it("the usage of a workspace counts its ended jobs by day and kind, with their seconds", async () => {
  room.answers.run = async () => {
    room.clock.nowMs += 1500;
    return success(1);
  };
  for (let count = 0; count < 2; count += 1) await addJob(room, { hash });
  await passTime(room);
  await addJob(room, { hash });
  const day = new Date(room.clock.nowMs).toISOString().slice(0, 10);
  const usage = await readUsage(room.deps, room.workspace, 1);
  expect(usage).toMatchObject({ since: day, complete: true, days: [{ day, kind: "script", jobs: 2 }] });
  expect(usage.days[0]?.seconds).toBeGreaterThanOrEqual(3);
  room.clock.nowMs += 2 * 24 * 3600 * 1000;
  expect((await readUsage(room.deps, room.workspace, 1)).days).toEqual([]);
  expect((await readUsage(room.deps, room.workspace, 3)).days).toMatchObject([{ day, jobs: 2 }]);
});
