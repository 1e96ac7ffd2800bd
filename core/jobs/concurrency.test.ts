import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  emptyGroup,
  expandKey,
  findKeySpace,
  freeSlot,
  type Group,
  groupDueAtMs,
  isEmptyGroup,
  mayStart,
  nextTimerMs,
  releaseExpiredSlots,
  reserveSlots,
  resolveConcurrency,
  returnSlot,
  startSlot,
} from "./concurrency.ts";

const full: Group = { slots: [{ state: "running", job: "a", sinceMs: 1000 }], waiting: true };
const cooling: Group = { slots: [{ state: "cooling", job: "a", untilMs: 5000 }], waiting: true };

describe("expandKey", () => {
  it.each([
    ["$workspace:$args[customer]", { customer: "ann" }, "demo:ann"],
    ["$args[n]/$args[all]", { n: 1, all: { a: [true] } }, '1/{"a":[true]}'],
    ["$args[missing]!", {}, "!"],
    ["$args[toString]!", {}, "!"],
    ["$args[key]", { key: "$workspace" }, "$workspace"],
    ["costs $5, $workspaces", {}, "costs $5, $workspaces"],
  ])("%s with %j yields the key %s", (template, args, key) => {
    expect(expandKey(template, "demo", args)).toBe(key);
  });
});

describe("concurrency groups of runs", () => {
  const of = (key: string | undefined, workspace: string, path: string, args = {}) =>
    resolveConcurrency({ limit: 2, ...(key === undefined ? {} : { key, space: findKeySpace(key, path) }) }, workspace, path, args).group;

  it("runs are grouped by key within a folder, or by script without a key", () => {
    expect(of("k", "demo", "f/a/one")).toBe(of("k", "demo", "f/a/two"));
    expect(of("k", "demo", "f/a/one")).not.toBe(of("k", "other", "f/a/one"));
    for (const path of ["f/b/one", "u/a/one", "f/ab/one"]) expect(of("k", "demo", path)).not.toBe(of("k", "demo", "f/a/one"));
    expect(of(undefined, "demo", "f/a/one")).not.toBe(of(undefined, "demo", "f/a/two"));
    expect(of("f/a/one", "demo", "f/a/two")).not.toBe(of(undefined, "demo", "f/a/one"));
  });

  it("a key that begins with a folder or a user is shared with it, whatever its arguments are", () => {
    expect(of("f/a/k", "demo", "f/b/one")).toBe(of("f/a/k", "demo", "f/a/one"));
    expect(of("u/ann/$args[n]", "demo", "f/b/one", { n: 1 })).toBe(of("u/ann/$args[n]", "demo", "u/ann/one", { n: 1 }));
    expect(of("$args[key]", "demo", "f/b/one", { key: "f/a/k" })).not.toBe(of("f/a/k", "demo", "f/a/one"));
    expect(of("f/$args[folder]/k", "demo", "f/b/one", { folder: "a" })).not.toBe(of("f/a/k", "demo", "f/a/one"));
  });

  it("a version of an earlier release keeps the group in which its runs wait", () => {
    const { group } = resolveConcurrency({ limit: 1, key: "k" }, "demo", "f/a/one", {});
    expect(group).toBe("76f0c321d35b2a9ff732496320122eed");
  });

  it("the group does not reveal arguments", () => {
    const { group } = resolveConcurrency({ limit: 1, key: "$args[secret]" }, "demo", "f/a/one", { secret: "hunter2" });
    expect(group).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe("concurrency groups", () => {
  it("a job may start in a free slot and in its reserved slot", () => {
    expect(mayStart(emptyGroup, "b", 1)).toBe(true);
    expect(mayStart({ ...full, waiting: false }, "b", 1)).toBe(false);
    expect(mayStart({ ...full, waiting: false }, "b", 2)).toBe(true);
    expect(mayStart(returnSlot(full, "a", 0), "a", 1)).toBe(true);
    // The job is queued again, but its slot is still marked as running.
    expect(mayStart(full, "a", 1)).toBe(true);
  });

  it("a new job queues behind waiting jobs, even if a slot is free", () => {
    expect(mayStart({ slots: [], waiting: true }, "b", 1)).toBe(false);
  });

  it("free slots are reserved in the order of waiting, and no job passes the first one without room", () => {
    const waiters = [
      { job: "b", limit: 2 },
      { job: "c", limit: 2 },
      { job: "d", limit: 9 },
    ];
    const { group, notified: told, next } = reserveSlots(full, waiters, 0);
    expect([told, next]).toEqual([["b"], "c"]);
    expect(mayStart(group, "b", 2)).toBe(true);
    // A second call notifies no job again.
    expect(reserveSlots(group, waiters, 0)).toEqual({ group, notified: [], next: "c" });
  });

  it("an unused reservation and a past window expire, but a running slot never does", () => {
    const { group } = reserveSlots(emptyGroup, [{ job: "b", limit: 1 }], 0);
    expect(releaseExpiredSlots(group, 59_999).slots).toHaveLength(1);
    expect(releaseExpiredSlots(group, 60_000).slots).toEqual([]);
    expect(releaseExpiredSlots(cooling, 4999)).toEqual(cooling);
    expect(releaseExpiredSlots(cooling, 5000).slots).toEqual([]);
    expect(releaseExpiredSlots(full, Number.MAX_SAFE_INTEGER)).toEqual(full);
  });

  it("a repeated end of a job frees its slot once", () => {
    const two = startSlot(full, "b", 2000);
    const once = freeSlot(two, "a");
    expect(once.slots.map(({ job }) => job)).toEqual(["b"]);
    expect(freeSlot(once, "a")).toEqual(once);
  });

  it("a slot is occupied until the window since the run's first start has passed", () => {
    expect(freeSlot(full, "a", 9).slots).toEqual([{ state: "cooling", job: "a", untilMs: 10_000 }]);
    expect(freeSlot(freeSlot(full, "a", 9), "a", 9)).toEqual(freeSlot(full, "a", 9));
    expect(startSlot(full, "a", 4000)).toEqual(full);
    // It never ran.
    expect(freeSlot(returnSlot(full, "a", 0), "a", 9).slots).toEqual([]);
  });

  it("one timer is set for the next end of a window, and only while a job waits for it", () => {
    expect(nextTimerMs(cooling, 1000)).toBe(5000);
    expect(nextTimerMs({ ...cooling, waiting: false }, 1000)).toBeUndefined();
    expect(nextTimerMs({ ...cooling, timerMs: 5000 }, 1000)).toBeUndefined();
    expect(nextTimerMs({ ...cooling, timerMs: 9000 }, 1000)).toBe(5000);
    expect(nextTimerMs({ ...cooling, timerMs: 500 }, 1000)).toBe(5000);
    expect(nextTimerMs(full, 1000)).toBeUndefined();
  });

  it("a group is checked while jobs wait or when its last window has passed, and an empty group is deleted", () => {
    expect(groupDueAtMs(full, 1000)).toBe(61_000);
    expect(groupDueAtMs({ ...full, dueAtMs: 30_000 }, 1000)).toBe(30_000);
    expect(groupDueAtMs({ ...full, dueAtMs: 500 }, 1000)).toBe(61_000);
    expect(groupDueAtMs({ ...cooling, waiting: false }, 0)).toBe(5000);
    expect(groupDueAtMs({ ...full, waiting: false }, 0)).toBeUndefined();
    expect([isEmptyGroup(emptyGroup), isEmptyGroup(full), isEmptyGroup({ slots: [], waiting: true })]).toEqual([true, false, false]);
  });

  it("a group never exceeds its limit or contains a job twice, for any order of events", () => {
    const job = fc.integer({ min: 0, max: 6 }).map(String);
    const step = fc.record({
      what: fc.constantFrom("start", "leave", "back", "promise", "wait"),
      job,
      afterMs: fc.integer({ min: 0, max: 90_000 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 0, max: 60 }),
        (limit, steps, windowS) => {
          let group = emptyGroup;
          let now = 0;
          const waiters = new Set<string>();
          for (const { what, job, afterMs } of steps) {
            now += afterMs;
            group = releaseExpiredSlots(group, now);
            if (what === "start" && mayStart(group, job, limit)) group = startSlot(group, job, now);
            else if (what === "start" || what === "wait") {
              waiters.add(job);
              group = { ...group, waiting: true };
            }
            if (what === "leave") group = freeSlot(group, job, windowS);
            if (what === "back" && group.slots.some((slot) => slot.job === job && slot.state === "running"))
              group = returnSlot(group, job, now);
            if (what === "promise")
              group = reserveSlots(
                group,
                [...waiters].map((waiter) => ({ job: waiter, limit })),
                now,
              ).group;
            expect(group.slots.length).toBeLessThanOrEqual(limit);
            const held = group.slots.flatMap((slot) => (slot.state === "cooling" ? [] : [slot.job]));
            expect(new Set(held).size).toBe(held.length);
          }
        },
      ),
    );
  });
});
