import { beforeAll, describe, expect, it } from "vitest";
import { deletedWorkspaceObject } from "../../../core/workspaces/deleted.ts";
import { workspaceObject } from "../../../core/workspaces/workspace.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";
import { addMember } from "../../workspaces/add-member.ts";
import { removeMember, updateMember } from "../../workspaces/members.ts";
import { authenticate } from "../authenticate.ts";
import { closeDeployment, DEPLOYER, openDeployment } from "./deployment-token.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const actorOf = async (token: string, workspace: string) =>
  (await authenticate({ ...world.deps, publicKey: async () => undefined }, token, { workspace })).actor;

describe("a deployment by an app", () => {
  it("acts as the user deployment: an admin of one workspace, and no superadmin", async () => {
    const token = await openDeployment(world.deps, world.workspace);
    expect(await openDeployment(world.deps, world.workspace)).not.toBe(token);
    expect(await actorOf(token, world.workspace)).toMatchObject({
      email: DEPLOYER.email,
      username: "deployment",
      superAdmin: false,
      workspace: world.workspace,
      rights: { role: "admin" },
    });
  });

  it("creates a workspace that does not exist, once", async () => {
    await openDeployment(world.deps, "fresh");
    await openDeployment(world.deps, "fresh");
    expect((await world.deps.objects.get(workspaceObject.key("fresh")))?.value).toMatchObject({ owner: DEPLOYER.email });
  });

  it("has a token that ends with the deployment, or after 16 minutes", async () => {
    const token = await openDeployment(world.deps, world.workspace);
    const actor = await actorOf(token, world.workspace);
    expect(actor).toMatchObject({ tokenExpiresAtMs: expect.any(Number) });
    await closeDeployment(world.deps, token);
    await closeDeployment(world.deps, token);
    await expect(actorOf(token, world.workspace)).rejects.toMatchObject({ code: "auth.invalid" });
  });

  it("keeps the rights that an admin has given it", async () => {
    await openDeployment(world.deps, "ruled");
    await addMember(world.deps, "ruled", { email: "ann@example.com", is_admin: true, operator: false }, { inherits: false });
    await updateMember(world.deps, "ruled", "deployment", { disabled: true });
    const token = await openDeployment(world.deps, "ruled");
    expect(await actorOf(token, "ruled")).not.toHaveProperty("rights");
  });

  it("takes no username from another member", async () => {
    await openDeployment(world.deps, "taken");
    await addMember(world.deps, "taken", { email: "ann@example.com", is_admin: true, operator: false }, { inherits: false });
    await removeMember(world.deps, "taken", "deployment");
    const other = { email: "bob@example.com", username: "deployment", is_admin: false, operator: false };
    await addMember(world.deps, "taken", other, { inherits: true });
    await expect(openDeployment(world.deps, "taken")).rejects.toMatchObject({ code: "user.usernameTaken" });
  });

  it("does not bring back a workspace that is being deleted", async () => {
    await world.deps.objects.put({ ...deletedWorkspaceObject.key("gone"), value: {} });
    await expect(openDeployment(world.deps, "gone")).rejects.toMatchObject({ code: "workspace.beingDeleted" });
  });
});
