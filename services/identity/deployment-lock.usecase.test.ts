import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { deploymentPushObject } from "../../core/workspaces/deployment-push.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { lockDeployments } from "./deployment-lock.ts";

let room: Room;
beforeAll(async () => {
  room = await newRoom();
});
afterEach(() => {
  vi.useRealTimers();
});
const lock = <T>(work: (lost: AbortSignal) => Promise<T>, untilMs = Date.now() + 30_000) =>
  lockDeployments(room.deps.objects, room.workspace, untilMs, work);
const nowS = () => Math.floor(Date.now() / 1000);

describe("deployments into one workspace", () => {
  it("run one after the other, also if one fails", async () => {
    const seen: string[] = [];
    const run = (name: string) =>
      lock(async () => {
        seen.push(`${name} begins`);
        await room.deps.objects.list(deploymentPushObject.key(room.workspace).pk);
        seen.push(`${name} ends`);
        if (name === "a") throw new Error("failed");
      });
    const ended = await Promise.allSettled([run("a"), run("b")]);
    expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(seen.map((event) => event.split(" ")[1])).toEqual(["begins", "ends", "begins", "ends"]);
  });

  it("give up when their time is over, and continue after one that died", async () => {
    const key = deploymentPushObject.key(room.workspace);
    await room.deps.objects.put({ ...key, version: "of another one", expiresAtS: nowS() + 60 });
    await expect(lock(async () => "done", Date.now() - 1)).rejects.toThrow("has not ended");
    await room.deps.objects.put({ ...key, version: "of a dead one", expiresAtS: nowS() - 1 });
    expect(await lock(async () => "done")).toBe("done");
    expect(await room.deps.objects.get(key)).toBeUndefined();
  });

  it("renew the lock, end if another one has it, and leave it to that one", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const key = deploymentPushObject.key(room.workspace);
    const renewed = async (lost: AbortSignal) => {
      await room.deps.objects.put({ ...key, version: (await room.deps.objects.get(key))?.version, expiresAtS: nowS() + 1 });
      vi.advanceTimersByTime(20_000);
      await vi.waitFor(async () => expect((await room.deps.objects.get(key))?.expiresAtS).toBeGreaterThan(nowS() + 30));
      expect(lost.aborted).toBe(false);
    };
    await lock(async (lost) => {
      await renewed(lost);
      await room.deps.objects.put({ ...key, version: "of another one", expiresAtS: nowS() + 60 });
      vi.advanceTimersByTime(20_000);
      await vi.waitFor(() => expect(lost.aborted).toBe(true));
    });
    expect(await room.deps.objects.get(key)).toMatchObject({ version: "of another one" });
  });
});
