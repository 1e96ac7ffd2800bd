import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive, withLock } from "./lock.mjs";

let dir;
let file;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "lock-"));
  file = path.join(dir, "install.lock");
});
afterEach(() => rmSync(dir, { recursive: true }));

const deadPid = () => spawnSync(process.execPath, ["-e", ""]).pid;

describe("withLock", () => {
  it("runs one task at a time, and returns its result", async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await sleep(50);
      inside--;
      return "done";
    };
    const answers = await Promise.all([withLock(file, work), withLock(file, work), withLock(file, work)]);
    expect(answers).toEqual(["done", "done", "done"]);
    expect(most).toBe(1);
    expect(existsSync(file)).toBe(false);
  });

  it("lets the next one in after a failure", async () => {
    await expect(withLock(file, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await withLock(file, async () => "next")).toBe("next");
  });

  it("takes over the lock of a process that has ended, once, however many wait", async () => {
    writeFileSync(file, `${deadPid()} 0 0`);
    let inside = 0;
    const work = async () => {
      expect(++inside).toBe(1);
      await sleep(20);
      inside--;
    };
    await Promise.all(Array.from({ length: 8 }, () => withLock(file, work)));
  });

  it("a lock is taken over if another process has the id of its holder", async () => {
    writeFileSync(file, `${process.pid} 0 0`);
    const longAgo = new Date(Date.now() - 10 * 60_000);
    utimesSync(file, longAgo, longAgo);
    expect(await withLock(file, async () => "mine")).toBe("mine");
  });

  it("names once the process that it waits for", async () => {
    const reported = [];
    const first = withLock(file, () => sleep(500));
    await withLock(
      file,
      async () => {},
      (pid) => reported.push(pid),
    );
    await first;
    expect(reported).toEqual([process.pid]);
  });
});

describe("isAlive", () => {
  it("knows this process and not one that has ended", () => {
    expect(isAlive(process.pid)).toBe(true);
    expect(isAlive(deadPid())).toBe(false);
    expect(isAlive(Number.NaN)).toBe(false);
  });
});
