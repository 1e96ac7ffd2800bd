import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { preferenceRoutes } from "../../contract/routes/console/preferences.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { editPreferences, getPreferences } from "./preferences.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
});
const aUser = () => ({ ...anAdmin, email: `${randomUUID()}@example.com` });

describe("the preferences of a user", () => {
  it("are changed field by field, and only for this user", async () => {
    const [bob, cleo] = [aUser(), aUser()];
    expect(await getPreferences(world.deps, bob)).toEqual({});
    await editPreferences(world.deps, bob, { theme: "dark", timezone: "Europe/Berlin" });
    const all = { theme: "dark", last_workspace: "ops", dismissed_hints: ["runs.brush"] };
    expect(await editPreferences(world.deps, bob, { timezone: null, last_workspace: "ops", dismissed_hints: ["runs.brush"] })).toEqual(all);
    expect([await getPreferences(world.deps, bob), await getPreferences(world.deps, cleo)]).toEqual([all, {}]);
  });

  it("have known values and at most 8 KB", () => {
    const { body } = preferenceRoutes.editPreferences;
    const parse = (value: unknown) => body.safeParse(value).success;
    const hints = Array.from({ length: limits.dismissedHints }, () => "h".repeat(60));
    const largest = {
      theme: "system",
      timezone: "America/Argentina/ComodRivadavia",
      dismissed_hints: hints,
      last_workspace: "w".repeat(50),
    };
    expect([{}, { theme: null }, { timezone: "UTC" }, largest].map(parse)).toEqual([true, true, true, true]);
    expect(JSON.stringify(largest).length).toBeLessThan(8 * 1024);
    const bad = [{ theme: "red" }, { timezone: "Mars/Base" }, { dismissed_hints: [...hints, "h"] }, { dismissed_hints: ["<b>"] }];
    expect(bad.map(parse)).toEqual(bad.map(() => false));
  });

  it("are all stored when two changes arrive at once, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      const bob = aUser();
      const act = () =>
        Promise.all([editPreferences(world.deps, bob, { theme: "dark" }), editPreferences(world.deps, bob, { last_workspace: "ops" })]);
      return {
        act,
        recover: () => repeat(act, ["preferences.changedMeanwhile"]),
        check: async () => expect(await getPreferences(world.deps, bob)).toEqual({ theme: "dark", last_workspace: "ops" }),
      };
    });
  });
});
