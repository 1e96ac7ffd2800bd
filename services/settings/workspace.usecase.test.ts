import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { settingObject } from "../../core/objects/setting.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { setAutoInvite } from "../workspaces/auto-invite.ts";
import { setFailureNotices } from "../workspaces/failure-notices.ts";
import { setWorkspaceHandler } from "../workspaces/handlers.ts";
import { renameWorkspace, setWorkspaceColor } from "../workspaces/workspaces.ts";
import { setOpaqueSetting } from "./opaque.ts";
import type { SettingEdit } from "./replace-setting.ts";
import { getVersionedSettings, getWorkspaceSettings, setWorkspaceSetting } from "./workspace.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

async function newWorkspace(): Promise<string> {
  const workspace = `w-${randomUUID().slice(0, 8)}`;
  await addWorkspace({ ...world, workspace });
  return workspace;
}
const adminEmail = "ann@example.com";
const invite = (workspace: string, request: Parameters<typeof setAutoInvite>[2]["request"]) =>
  setAutoInvite(world.deps, workspace, { request, adminEmail });

describe("a setting that the service only stores", () => {
  it("is set and removed completely, whichever write fails", async () => {
    for (const value of [{ repositories: [] }, undefined]) {
      await expectToSurviveFaults(async () => {
        const workspace = await newWorkspace();
        await setOpaqueSetting(world.deps, workspace, "git_sync", { before: true });
        const act = () => setOpaqueSetting(world.deps, workspace, "git_sync", value);
        return {
          act,
          recover: act,
          check: async () => expect((await getWorkspaceSettings(world.deps, workspace)).git_sync).toEqual(value),
        };
      });
    }
  });

  it("is not stored for a workspace that does not exist or is deleted", async () => {
    const workspace = await newWorkspace();
    await world.deps.objects.deleteItem(workspaceObject.key(workspace));
    for (const name of [workspace, "none-such"]) {
      await expect(setOpaqueSetting(world.deps, name, "mute_critical_alerts", true)).rejects.toMatchObject({ code: "workspace.notFound" });
      await expect(invite(name, { auto_add: true })).rejects.toMatchObject({ code: "workspace.notFound" });
      expect(await world.deps.objects.list(settingObject.partitionKey(name))).toEqual([]);
    }
  });
});

describe("the setting of automatic invitations", () => {
  it("loses neither the groups nor the other fields if both are changed at the same time", async () => {
    for (let round = 0; round < 5; round += 1) {
      const workspace = await newWorkspace();
      await invite(workspace, { operator: false });
      await Promise.all([
        invite(workspace, { operator: true, instance_groups: ["eng"] }),
        invite(workspace, { operator: true, instance_groups_roles: { eng: "admin" } }),
      ]);
      expect((await getWorkspaceSettings(world.deps, workspace)).auto_invite).toEqual({
        enabled: true,
        domain: "example.com",
        operator: true,
        mode: "invite",
        instance_groups: ["eng"],
        instance_groups_roles: { eng: "admin" },
      });
    }
  });

  it("of an earlier release is read and changed", async () => {
    const workspace = await newWorkspace();
    const value = { enabled: true, domain: "*", operator: false, mode: "add" };
    await world.deps.objects.put({ ...settingObject.key(workspace, "auto_invite"), value });
    expect((await getWorkspaceSettings(world.deps, workspace)).auto_invite).toEqual(value);
    await invite(workspace, { operator: true, instance_groups: [] });
    expect((await getWorkspaceSettings(world.deps, workspace)).auto_invite).toMatchObject({ operator: true, instance_groups: [] });
    await invite(workspace, {});
    expect(await getWorkspaceSettings(world.deps, workspace)).toEqual({ workspace_id: workspace, name: workspace });
  });

  it("has groups of a limited size", async () => {
    const workspace = await newWorkspace();
    const half = "x".repeat(60 * 1024);
    await invite(workspace, { instance_groups: half });
    await expect(invite(workspace, { instance_groups_roles: half })).rejects.toMatchObject({ code: "body.tooLarge" });
    expect((await getWorkspaceSettings(world.deps, workspace)).auto_invite).not.toHaveProperty("instance_groups_roles");
  });
});

describe("a change that names the version of the settings that it has read", () => {
  const read = (workspace: string) => getVersionedSettings(world.deps, workspace);
  type Change = (workspace: string, value: 1 | 2, edit: SettingEdit) => Promise<unknown>;
  const handler = (value: number) => ({ path: `script/f/ops/${value}` });
  const changes: Record<string, Change> = {
    name: (workspace, value, edit) => renameWorkspace(world.deps, workspace, `Name ${value}`, edit),
    color: (workspace, value, edit) => setWorkspaceColor(world.deps, workspace, `#00000${value}`, edit),
    git_sync: (workspace, value, edit) => setOpaqueSetting(world.deps, workspace, "git_sync", { value }, edit),
    failed_runs: (workspace, value, edit) => setWorkspaceSetting(world.deps, workspace, "failed_runs", { status: 400 + value }, edit),
    failure_notices: (workspace, value, edit) =>
      setFailureNotices(world.deps, workspace, { rules: [{ path: `f/team${value}/*`, topic: true }] }, edit),
    auto_invite: (workspace, value, edit) =>
      setAutoInvite(world.deps, workspace, { request: { operator: value === 1 }, adminEmail, ...edit }),
    error_handler: (workspace, value, edit) => setWorkspaceHandler(world.deps, workspace, "error_handler", handler(value), edit),
    success_handler: (workspace, value, edit) => setWorkspaceHandler(world.deps, workspace, "success_handler", handler(value), edit),
  };

  it.each(Object.entries(changes))("of %s is refused with the author after another admin has changed it", async (name, change) => {
    const workspace = await newWorkspace();
    const { version } = await read(workspace);
    await change(workspace, 1, { by: "ann", expected: [version] });
    const { version: second, json } = await read(workspace);
    const refused = { code: "object.versionChanged", details: { path: name, by: "ann", at: expect.any(String) as unknown } };
    await expect(change(workspace, 2, { by: "bob", expected: [version] })).rejects.toMatchObject(refused);
    expect((await read(workspace)).json).toEqual(json);
    await change(workspace, 2, { by: "bob", expected: [version, second] });
    // Without a version, the last save wins.
    await change(workspace, 1, { by: "ann" });
    expect((await read(workspace)).json).toEqual(json);
  });

  it.each(Object.entries(changes))("of %s has one winner of two admins who save in the same moment", async (_, change) => {
    const workspace = await newWorkspace();
    const { version } = await read(workspace);
    const save = (value: 1 | 2) => change(workspace, value, { by: "ann", expected: [version] });
    const outcomes = await Promise.allSettled([save(1), save(2)]);
    const refused = { status: "rejected", reason: { code: "object.versionChanged" } };
    expect(outcomes.sort((a, b) => a.status.localeCompare(b.status))).toMatchObject([{ status: "fulfilled" }, refused]);
  });

  it("does not collide with changes of other settings", async () => {
    const workspace = await newWorkspace();
    const { version } = await read(workspace);
    await Promise.all(Object.values(changes).map((change) => change(workspace, 1, { by: "ann", expected: [version] })));
    const { json } = await read(workspace);
    expect(json).toMatchObject({ name: "Name 1", color: "#000001", git_sync: { value: 1 }, failed_runs: { status: 401 } });
  });

  it("is refused for a setting that was removed in between", async () => {
    const workspace = await newWorkspace();
    await setOpaqueSetting(world.deps, workspace, "git_sync", { value: 1 });
    const { version } = await read(workspace);
    await setOpaqueSetting(world.deps, workspace, "git_sync", undefined);
    await expect(setOpaqueSetting(world.deps, workspace, "git_sync", { value: 2 }, { expected: [version] })).rejects.toMatchObject({
      code: "object.versionChanged",
    });
  });
});
