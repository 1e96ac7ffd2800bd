import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { deploymentPushObject } from "../../core/workspaces/deployment-push.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { lockDeployments } from "./deployment-lock.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
});
afterEach(() => {
  vi.useRealTimers();
});
const lock = <T>(work: (lost: AbortSignal) => Promise<T>, untilMs = Date.now() + 30_000) =>
  lockDeployments(world.deps.objects, world.workspace, untilMs, work);
const nowS = () => Math.floor(Date.now() / 1000);

describe("deployments into one workspace", () => {
  it("run one after the other, also if one fails", async () => {
    const seen: string[] = [];
    const run = (name: string) =>
      lock(async () => {
        seen.push(`${name} begins`);
        await world.deps.objects.list(deploymentPushObject.key(world.workspace).pk);
        seen.push(`${name} ends`);
        if (name === "a") throw new Error("failed");
      });
    const ended = await Promise.allSettled([run("a"), run("b")]);
    expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(seen.map((event) => event.split(" ")[1])).toEqual(["begins", "ends", "begins", "ends"]);
  });

  it("give up after their time limit, and continue after one that died", async () => {
    const key = deploymentPushObject.key(world.workspace);
    await world.deps.objects.put({ ...key, version: "of another one", expiresAtS: nowS() + 60 });
    await expect(lock(async () => "done", Date.now() - 1)).rejects.toThrow("has not ended");
    await world.deps.objects.put({ ...key, version: "of a dead one", expiresAtS: nowS() - 1 });
    expect(await lock(async () => "done")).toBe("done");
    expect(await world.deps.objects.get(key)).toBeUndefined();
  });

  it("renew the lock, end if another one has it, and leave it to that one", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const key = deploymentPushObject.key(world.workspace);
    const renewed = async (lost: AbortSignal) => {
      await world.deps.objects.put({ ...key, version: (await world.deps.objects.get(key))?.version, expiresAtS: nowS() + 1 });
      vi.advanceTimersByTime(20_000);
      await expect.poll(async () => (await world.deps.objects.get(key))?.expiresAtS).toBeGreaterThan(nowS() + 30);
      expect(lost.aborted).toBe(false);
    };
    await lock(async (lost) => {
      await renewed(lost);
      await world.deps.objects.put({ ...key, version: "of another one", expiresAtS: nowS() + 60 });
      vi.advanceTimersByTime(20_000);
      await expect.poll(() => lost.aborted).toBe(true);
    });
    expect(await world.deps.objects.get(key)).toMatchObject({ version: "of another one" });
  });
});
