import { beforeAll, describe, expect, it } from "vitest";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { newRoom, type Room } from "../../test/support/use-cases/room.ts";
import { addWorkspace } from "../../test/support/use-cases/room-jobs.ts";
import { addMember, removeMember, updateMember } from "../workspaces/members.ts";
import { authenticate } from "./authenticate.ts";
import { closeDeployment, DEPLOYER, openDeployment } from "./deployment-token.ts";

let room: Room;
beforeAll(async () => {
  room = await newRoom();
  await addWorkspace(room);
});

const actorOf = async (token: string, workspace: string) =>
  (await authenticate({ ...room.deps, publicKey: async () => undefined }, token, { workspace })).actor;

describe("a deployment by an app", () => {
  it("acts as the user deployment: an admin of one workspace, and no superadmin", async () => {
    const token = await openDeployment(room.deps, room.workspace);
    expect(await openDeployment(room.deps, room.workspace)).not.toBe(token);
    expect(await actorOf(token, room.workspace)).toMatchObject({
      email: DEPLOYER.email,
      username: "deployment",
      superAdmin: false,
      workspace: room.workspace,
      rights: { role: "admin" },
    });
  });

  it("creates a workspace that does not exist, once", async () => {
    await openDeployment(room.deps, "fresh");
    await openDeployment(room.deps, "fresh");
    expect((await room.deps.objects.get(workspaceObject.key("fresh")))?.value).toMatchObject({ owner: DEPLOYER.email });
  });

  it("has a token that ends with the deployment, or after 16 minutes", async () => {
    const token = await openDeployment(room.deps, room.workspace);
    const actor = await actorOf(token, room.workspace);
    expect(actor).toMatchObject({ tokenExpiresAtMs: expect.any(Number) });
    await closeDeployment(room.deps, token);
    await closeDeployment(room.deps, token);
    await expect(actorOf(token, room.workspace)).rejects.toMatchObject({ code: "auth.invalid" });
  });

  it("keeps the rights that an admin has given it", async () => {
    await openDeployment(room.deps, "ruled");
    await addMember(room.deps, "ruled", { email: "ann@example.com", is_admin: true, operator: false }, { inherits: false });
    await updateMember(room.deps, "ruled", "deployment", { disabled: true });
    const token = await openDeployment(room.deps, "ruled");
    expect(await actorOf(token, "ruled")).not.toHaveProperty("rights");
  });

  it("takes no username from another member", async () => {
    await openDeployment(room.deps, "taken");
    await addMember(room.deps, "taken", { email: "ann@example.com", is_admin: true, operator: false }, { inherits: false });
    await removeMember(room.deps, "taken", "deployment");
    const other = { email: "bob@example.com", username: "deployment", is_admin: false, operator: false };
    await addMember(room.deps, "taken", other, { inherits: true });
    await expect(openDeployment(room.deps, "taken")).rejects.toMatchObject({ code: "user.usernameTaken" });
  });

  it("does not bring back a workspace that is being deleted", async () => {
    await room.deps.objects.put({ ...deletedWorkspaceObject.key("gone"), value: {} });
    await expect(openDeployment(room.deps, "gone")).rejects.toMatchObject({ code: "workspace.beingDeleted" });
  });
});
