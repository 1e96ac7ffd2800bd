import { expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { SYNC_LIMIT } from "../../core/settings/instance.ts";
import { newWorld } from "../../test/support/use-cases/world.ts";
import { setGlobalSetting } from "./instance.ts";
import { createSyncLimitReader } from "./sync-limit.ts";

it("the limit for synchronous calls changes everywhere within half a minute after it is set, and returns to the default", async () => {
  const { deps, clock } = await newWorld();
  const [one, other] = [createSyncLimitReader(deps), createSyncLimitReader(deps)];
  expect([await one(), await other()]).toEqual([25_000, 25_000]);
  await setGlobalSetting(deps, SYNC_LIMIT, 20);
  expect(await one()).toBe(25_000);
  clock.nowMs += limits.settingAgeMs;
  expect([await one(), await other()]).toEqual([20_000, 20_000]);
  await setGlobalSetting(deps, SYNC_LIMIT, null);
  clock.nowMs += limits.settingAgeMs;
  expect([await one(), await other()]).toEqual([25_000, 25_000]);
  expect(limits.settingAgeMs).toBeLessThanOrEqual(30_000);
});
