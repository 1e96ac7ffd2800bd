import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { loadAccess } from "./access.ts";
import { loadFailureNotices, setFailureNotices, setOwnFailureNotice } from "./failure-notices.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});
beforeEach(() => setFailureNotices(world.deps, world.workspace, { rules: [] }));

const ann = { email: ["u/ann"] };
const set = (path: string, notice: Parameters<typeof setOwnFailureNotice>[3]) =>
  setOwnFailureNotice(world.deps, world.workspace, path, notice);
const rules = () => loadFailureNotices(world.deps.objects, world.workspace);
const reportsRecoveries = async () => (await loadAccess(world.deps.objects, world.workspace)).access.recoveryNoticed === true;

describe("the rule of one script or flow", () => {
  it("remains if others set theirs at the same time", async () => {
    const paths = Array.from({ length: 6 }, (_, at) => `f/ops/s${at}`);
    await Promise.all(paths.map((path) => set(path, ann)));
    expect((await rules()).map(({ path }) => path).sort()).toEqual(paths);
    await Promise.all(paths.slice(1).map((path) => set(path, {})));
    expect(await rules()).toEqual([{ path: "f/ops/s0", ...ann }]);
  });

  it("makes runs read the rules after a success while a rule reports recoveries", async () => {
    await set("f/ops/a", { ...ann, on_recovery: true });
    await set("f/ops/b", ann);
    expect(await reportsRecoveries()).toBe(true);
    await set("f/ops/a", {});
    expect(await reportsRecoveries()).toBe(false);
  });

  it("is refused beyond the limit of rules, at which rules can still be changed and removed", async () => {
    const all = Array.from({ length: limits.failureNoticeRules }, (_, at) => ({ path: `f/ops/s${at}`, ...ann }));
    await setFailureNotices(world.deps, world.workspace, { rules: all });
    await expect(set("f/ops/more", ann)).rejects.toMatchObject({ code: "body.shape" });
    await set("f/ops/s1", { email: ["g/ops"] });
    await set("f/ops/s2", {});
    expect(await rules()).toHaveLength(limits.failureNoticeRules - 1);
  });

  it("changes rules that an earlier release stored", async () => {
    await setFailureNotices(world.deps, world.workspace, { rules: [{ topic: true }] });
    const key = settingObject.key(world.workspace, "failure_notices");
    const stored = await world.deps.objects.get(key);
    await world.deps.objects.put({ ...key, value: stored?.value });
    await set("f/ops/a", ann);
    expect(await rules()).toEqual([{ topic: true }, { path: "f/ops/a", ...ann }]);
  });

  it("is set once, whichever write fails", async () => {
    await expectToSurviveFaults(async () => {
      await setFailureNotices(world.deps, world.workspace, { rules: [] });
      const act = () => set("f/ops/a", ann);
      return { act, recover: act, check: async () => expect(await rules()).toEqual([{ path: "f/ops/a", ...ann }]) };
    });
  });
});
