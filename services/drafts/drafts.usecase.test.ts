import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Actor } from "../../core/people/actor.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { newWorldWithFolder, repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { getDraft, listDrafts, updateDraft } from "./drafts.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
});

const caller = (actor: Actor = anAdmin) => ({ actor, workspace: world.workspace });
const place = (path = `f/t/${randomUUID()}`) => ({ kind: "script" as const, path });
const update = (
  at: ReturnType<typeof place>,
  value: unknown,
  { syncedAtMs, force = false }: { syncedAtMs?: number; force?: boolean } = {},
) => updateDraft(world.deps, caller(), { ...at, value, syncedAtMs, force });
const refused = (code: string) => expect.objectContaining({ code });

describe("a draft", () => {
  it("is stored, listed and deleted for its user alone", async () => {
    const at = place();
    const { created_at } = await update(at, { content: "a", $var: "x" });
    expect(await getDraft(world.deps, caller(), at)).toEqual({ ...at, created_at, value: { content: "a", $var: "x" } });
    expect(await listDrafts(world.deps, caller())).toContainEqual({ ...at, created_at });
    const other = caller(aReader(world.workspace, ["t"]));
    await expect(getDraft(world.deps, other, at)).rejects.toEqual(refused("draft.notFound"));
    expect(await listDrafts(world.deps, other)).toEqual([]);
    expect(await update(at, undefined)).toEqual({ created_at: null });
    await expect(getDraft(world.deps, caller(), at)).rejects.toEqual(refused("draft.notFound"));
    expect(await update(at, undefined)).toEqual({ created_at: null });
  });

  it("that changed in another window is replaced only by force", async () => {
    const at = place();
    await update(at, 1);
    const syncedAtMs = world.clock.nowMs;
    world.clock.nowMs += 1000;
    await update(at, 2, { syncedAtMs });
    await expect(update(at, 3, { syncedAtMs })).rejects.toEqual(refused("draft.changedMeanwhile"));
    await update(at, 3, { syncedAtMs, force: true });
    expect(await getDraft(world.deps, caller(), at)).toMatchObject({ value: 3 });
  });

  it("has a maximum size", async () => {
    await expect(update(place(), "x".repeat(300 * 1024))).rejects.toEqual(refused("body.tooLarge"));
  });

  it("is stored once, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const at = place();
      const act = () => update(at, { a: 1 });
      return {
        act,
        recover: () => repeat(act, ["draft.changedMeanwhile"]),
        check: async () => expect(await getDraft(world.deps, caller(), at)).toMatchObject({ value: { a: 1 } }),
      };
    });
  });
});
