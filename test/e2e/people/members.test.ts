import { beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../../contract/routes/routes.ts";
import { shared } from "../../support/api/api.ts";
import { member, someone } from "../../support/api/people.ts";
import { shaped } from "../../support/api/shaped.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { addOutboxReader, outboxOf } from "../../support/engine/outbox.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const status = async (answer: Promise<{ status: number }>) => (await answer).status;

describe("users of a workspace", () => {
  it("a user joins by accepting an invitation, and leaves", async () => {
    const guest = await someone("guest");
    expectStatus(await ws.post("workspaces/invite_user", { email: guest.email, is_admin: false, operator: true }), 201);
    expect(shaped(routes.listInvites, await guest.api.get("users/list_invites"))).toEqual([
      { workspace_id: ws.id, email: guest.email, is_admin: false, operator: true },
    ]);
    expect(shaped(routes.listInvitesOfWorkspace, await ws.get("workspaces/list_pending_invites"))).toHaveLength(1);
    expect(await status(guest.in(ws).get("users/whoami"))).toBe(404);
    expectStatus(await guest.api.post("users/accept_invite", { workspace_id: ws.id, username: "guest" }), 200);
    expect((await guest.in(ws).get("users/whoami")).json).toMatchObject({ username: "guest", operator: true });
    expect(shaped(routes.myWorkspaces, await guest.api.get("workspaces/users"))).toEqual({
      email: guest.email,
      workspaces: [{ id: ws.id, name: ws.id, username: "guest", color: "", disabled: false, is_dev_workspace: false }],
    });
    expect((await guest.api.get("workspaces/list")).json).toEqual([{ id: ws.id, name: ws.id, owner: shared().email }]);
    expect(await status(guest.api.post("users/accept_invite", { workspace_id: ws.id }))).toBe(404);
    expectStatus(await guest.in(ws).post("workspaces/leave"), 200);
    expect(await status(guest.in(ws).get("users/whoami"))).toBe(404);
    expect(await status(guest.api.post("users/decline_invite", { workspace_id: ws.id }))).toBe(404);
  });
});

describe("folders", () => {
  it("a folder is changed by its owners, and each change writes its event", async () => {
    const folders = await newWorkspace();
    await addOutboxReader(folders.id);
    const [owner, writer] = await Promise.all([member(folders, "owner"), member(folders, "writer")]);
    const [own, write] = [owner.in(folders), writer.in(folders)];
    expectStatus(await own.post("folders/create", { name: "box" }), 201);
    expectStatus(await own.post("folders/update/box", { summary: "A box", extra_perms: { [`u/${writer.username}`]: true } }), 200);
    expect(await status(write.post("folders/update/box", { summary: "Mine" }))).toBe(403);
    expect(await status(write.post("folders/addowner/box", { owner: `u/${writer.username}` }))).toBe(403);
    expect(await status(own.post("folders/addowner/box", { owner: "writer" }))).toBe(422);
    expectStatus(await own.post("folders/addowner/box", { owner: `u/${writer.username}` }), 200);
    expect(shaped(routes.getFolder, await write.get("folders/get/box"))).toMatchObject({
      summary: "A box",
      owners: [`u/${owner.username}`, `u/${writer.username}`],
      extra_perms: { [`u/${writer.username}`]: true },
    });
    expectStatus(await write.post("folders/removeowner/box", { owner: `u/${owner.username}` }), 200);
    expect(await status(own.get("folders/get/box"))).toBe(404);
    expect((await write.get("folders/getusage/box")).json).toEqual({ scripts: 0, variables: 0, resources: 0 });
    expectStatus(await write.call("DELETE", "folders/delete/box"), 200);
    expect(await status(folders.get("folders/get/box"))).toBe(404);
    expect(await status(folders.call("DELETE", "folders/delete/box"))).toBe(404);

    expect(await outboxOf(folders.id)).toEqual(["CreateFolder box", ...Array(3).fill("UpdateFolder box"), "DeleteFolder box"]);
  });
});
