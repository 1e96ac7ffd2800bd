import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type BrowserDraft, type DraftState, DraftSync, MOST_MS, SEND_MS, type StoredDraft, type WriteResult } from "./draft-sync.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

/** The service and the browser of one person, in which several tabs can be open. */
function newWorld() {
  const world = {
    stored: undefined as StoredDraft<string> | undefined,
    kept: undefined as BrowserDraft<string> | undefined,
    answer: undefined as WriteResult<string> | undefined,
    writes: 0,
    tabs: [] as { sync: DraftSync<string> }[],
    async open() {
      let state: DraftState<string> = { status: "loading", shown: undefined, newer: undefined };
      const sync: DraftSync<string> = new DraftSync<string>({
        read: async () => (world.answer ? "unreachable" : world.stored),
        write: async (value, { syncedAt, force }) => {
          world.writes++;
          if (world.answer) return world.answer;
          if (!force && world.stored && world.stored.savedAt !== syncedAt) return { kind: "changed", stored: world.stored };
          world.stored = value === undefined ? undefined : { value, savedAt: `t${world.writes}` };
          return { kind: "saved", savedAt: world.stored?.savedAt };
        },
        readBrowser: () => world.kept,
        keepInBrowser: (draft) => {
          world.kept = draft?.isUnsent ? draft : undefined;
        },
        announce: () => {
          for (const other of world.tabs) if (other.sync !== sync) void other.sync.refresh();
        },
        onChange: (changed) => {
          state = changed;
        },
      });
      const tab = {
        sync,
        get state() {
          return state;
        },
      };
      world.tabs.push(tab);
      await tab.sync.load();
      return tab;
    },
  };
  return world;
}

describe("the draft of an editor", () => {
  it("is written after a pause, and regularly while the person types without one", async () => {
    const world = newWorld();
    const tab = await world.open();
    expect(tab.state.status).toBe("none");
    for (let ms = 0; ms < MOST_MS; ms += 1000) {
      tab.sync.keep(`after ${ms} ms`);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(world.writes).toBe(1);
    await vi.advanceTimersByTimeAsync(SEND_MS);
    expect([world.writes, world.stored?.value, world.kept]).toEqual([expect.any(Number), "after 14000 ms", undefined]);
    expect(tab.state.status).toBe("saved");
  });

  it("survives the end of the page before it is sent", async () => {
    const world = newWorld();
    const tab = await world.open();
    tab.sync.keep("typed");
    tab.sync.end();
    const next = await world.open();
    expect([next.state.shown, world.stored]).toEqual(["typed", undefined]);
    await vi.advanceTimersByTimeAsync(SEND_MS);
    expect(world.stored?.value).toBe("typed");
  });

  it("stays in the browser while the service does not respond or the session has ended, and is sent later", async () => {
    const world = newWorld();
    const tab = await world.open();
    world.answer = { kind: "unreachable" };
    tab.sync.keep("typed");
    await vi.advanceTimersByTimeAsync(SEND_MS);
    expect([tab.state.status, world.kept?.value]).toEqual(["unreachable", "typed"]);
    expect((await world.open()).state.shown).toBe("typed");
    world.answer = undefined;
    tab.sync.retry();
    await vi.advanceTimersByTimeAsync(0);
    expect([tab.state.status, world.stored?.value]).toEqual(["saved", "typed"]);
  });

  it("stays in the browser alone if the service refuses it", async () => {
    const world = newWorld();
    const tab = await world.open();
    world.answer = { kind: "refused" };
    tab.sync.keep("long");
    await vi.advanceTimersByTimeAsync(SEND_MS * 10);
    expect([tab.state.status, world.kept?.value, world.writes]).toEqual(["refused", "long", 1]);
  });

  it("appears in another tab that has no change", async () => {
    const world = newWorld();
    const [first, second] = [await world.open(), await world.open()];
    first.sync.keep("typed");
    await vi.advanceTimersByTimeAsync(SEND_MS);
    expect([second.state.shown, second.state.newer]).toEqual(["typed", undefined]);
  });

  it.each(["keepMine", "takeNewer"] as const)("asks before it replaces the change of another browser: %s", async (choice) => {
    const world = newWorld();
    const tab = await world.open();
    world.stored = { value: "theirs", savedAt: "t0" };
    tab.sync.keep("mine");
    await vi.advanceTimersByTimeAsync(SEND_MS);
    expect([tab.state.newer, world.stored.value]).toEqual([{ value: "theirs", savedAt: "t0" }, "theirs"]);
    tab.sync[choice]();
    await vi.advanceTimersByTimeAsync(SEND_MS);
    const chosen = choice === "keepMine" ? "mine" : "theirs";
    expect([tab.state.newer, world.stored.value]).toEqual([undefined, chosen]);
    if (choice === "takeNewer") expect(tab.state.shown).toBe("theirs");
  });

  it("is removed everywhere when it is discarded", async () => {
    const world = newWorld();
    const tab = await world.open();
    tab.sync.keep("typed");
    await vi.advanceTimersByTimeAsync(SEND_MS);
    tab.sync.keep("typed again");
    await tab.sync.discard();
    await vi.advanceTimersByTimeAsync(SEND_MS * 10);
    expect([world.stored, world.kept, tab.state.status]).toEqual([undefined, undefined, "none"]);
  });
});
