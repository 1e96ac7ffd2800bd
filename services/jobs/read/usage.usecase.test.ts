import { beforeAll, expect, it } from "vitest";
import { success, type World } from "../../../test/support/use-cases/world.ts";
import { addJob, newScriptWorld, passTime } from "../../../test/support/use-cases/world-jobs.ts";
import { readUsage } from "./usage.ts";

let world: World;
let hash: string;
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
});

it("the usage of a workspace counts its ended jobs by day and kind, with their seconds", async () => {
  world.answers.run = async () => {
    world.clock.nowMs += 1500;
    return success(1);
  };
  for (let count = 0; count < 2; count += 1) await addJob(world, { hash });
  await passTime(world);
  await addJob(world, { hash });
  const day = new Date(world.clock.nowMs).toISOString().slice(0, 10);
  const usage = await readUsage(world.deps, world.workspace, 1);
  expect(usage).toMatchObject({ since: day, complete: true, days: [{ day, kind: "script", jobs: 2 }] });
  expect(usage.days[0]?.seconds).toBeGreaterThanOrEqual(3);
  world.clock.nowMs += 2 * 24 * 3600 * 1000;
  expect((await readUsage(world.deps, world.workspace, 1)).days).toEqual([]);
  expect((await readUsage(world.deps, world.workspace, 3)).days).toMatchObject([{ day, jobs: 2 }]);
});
