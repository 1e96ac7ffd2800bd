import { describe, expect, it } from "vitest";
import { anEndedJob, aRunningJob } from "../../test/builders/jobs.ts";
import { findWorkspace } from "../stored-objects.ts";
import { DELETED_REASON, isPurged, isRemovableItem, needsPurge } from "./deleted.ts";

const deleted = { id: "w", by: "ann@example.com", atMs: 1_000_000 };
const LATER = deleted.atMs + 16 * 60_000;

describe("what a deleted workspace stored", () => {
  it("is removed immediately, and again when no earlier call can write any more", () => {
    expect(needsPurge(deleted, deleted.atMs)).toBe(true);
    const passed = { ...deleted, passedMs: deleted.atMs + 1000 };
    expect([needsPurge(passed, LATER - 1), needsPurge(passed, LATER), isPurged(passed)]).toEqual([false, true, false]);
    const twice = { ...deleted, passedMs: LATER };
    expect([needsPurge(twice, LATER + 1), isPurged(twice)]).toEqual([false, true]);
  });

  it("a workspace's data is every item in it and every token limited to it, and no other item", () => {
    const item = (pk: string, workspace?: string) => ({ pk, sk: "x", workspace });
    expect(["VAR#w", "R#w#f/a/b", "A#artefacts/w/1.zip", "AUDIT#w"].filter((pk) => findWorkspace(item(pk)) !== "w")).toEqual([]);
    expect(findWorkspace(item("TOKEN#00", "w")) === "w" && findWorkspace(item("USER#ann@example.com", "w")) === "w").toBe(true);
    expect(["w", "w2", undefined].map((bound) => findWorkspace(item("TOKENEXPIRY#0", bound)) === "w")).toEqual([true, false, false]);
    const others = [item("VAR#w2"), item("R#other#w"), item("TOKEN#00", "w2"), item("TOKEN#w"), item("USERS"), item("WORKSPACES", "w")];
    expect(others.filter((one) => findWorkspace(one) === "w")).toEqual([]);
  });

  it("includes its jobs once their runners have ended", () => {
    const now = 10_000_000;
    expect(isRemovableItem(aRunningJob({}), now)).toBe(false);
    expect(isRemovableItem(anEndedJob({ endedAtMs: now }), now)).toBe(true);
    const stopped = anEndedJob({ endedAtMs: now, cancel: { by: "svc", reason: DELETED_REASON } });
    expect([isRemovableItem(stopped, now), isRemovableItem(stopped, now + 60_000)]).toEqual([false, true]);
  });
});
