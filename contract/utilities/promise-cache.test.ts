import { describe, expect, it } from "vitest";
import { PromiseCache } from "./promise-cache.ts";

describe("a cache of promises", () => {
  it("shares one call among concurrent callers, until its lifetime is over", async () => {
    const cache = new PromiseCache<string, number>();
    let calls = 0;
    const load = async () => ++calls;
    const at = (nowMs: number) => cache.get("a", load, { nowMs, forMs: 10 });
    expect(await Promise.all([at(0), at(9), at(10)])).toEqual([1, 1, 2]);
    expect(await cache.get("b", load)).toBe(3);
  });

  it("forgets a promise that rejects, but not the one that replaced it", async () => {
    const cache = new PromiseCache<string, number>();
    const failing = Promise.withResolvers<number>();
    const first = cache.get("a", () => failing.promise);
    cache.delete("a", first);
    const second = cache.get("a", async () => 2);
    failing.reject(new Error("no"));
    await expect(first).rejects.toThrow("no");
    expect(await cache.get("a", async () => 3)).toBe(await second);
    await expect(cache.get("b", async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(cache.has("b")).toBe(false);
  });

  it("is emptied when it is full", async () => {
    const cache = new PromiseCache<number, number>({ max: 2 });
    for (const key of [1, 2, 3]) await cache.get(key, async () => key);
    expect([1, 2, 3].map((key) => cache.has(key))).toEqual([false, false, true]);
  });
});
