import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { settingObject } from "../../core/objects/setting.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { setAutoInvite } from "../workspaces/auto-invite.ts";
import { setOpaqueSetting } from "./opaque.ts";
import { getWorkspaceSettings } from "./workspace.ts";

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
