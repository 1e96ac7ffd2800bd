import { beforeEach, expect, it } from "vitest";
import type { WorkspaceCaller } from "../../../core/people/actor.ts";
import { newWorld, type World } from "../../../test/support/use-cases/world.ts";
import { addWorkspace } from "../../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../../test/support/use-cases/world-people.ts";
import { createResource, updateResource } from "../../resources/save.ts";
import { createVariable } from "../../variables/save.ts";
import { listChatResources } from "./list-chat-resources.ts";

let world: World;
let admin: WorkspaceCaller;
beforeEach(async () => {
  world = await newWorld();
  await addWorkspace(world);
  admin = { actor: anAdmin, workspace: world.workspace };
});

const value = { token: "xoxb-secret", signing_secret: "$var:u/ann/signing" };
const create = (path: string, fields: object, type = "slack") =>
  createResource(world.deps, admin, { path, value: { ...value, ...fields }, resource_type: type });
const list = () => listChatResources(world.deps, world.workspace, () => true);

it("the list of chat resources tells faults and trust, and contains the addresses and no value", async () => {
  await createVariable(world.deps, admin, { path: "u/ann/signing", value: "signing secret", is_secret: true, description: "" });
  await create("u/ann/plain", {});
  await create("u/ann/trusting", { trust_email: true });
  await create("u/ann/without_token", { token: "" });
  await create("u/ann/other", {}, "c_store");
  const found = await list();
  const api = `http://svc.test/api/w/${world.workspace}/chat/slack`;
  const ofSlack = { resource_type: "slack", address_trust: "off" };
  expect(found).toEqual([
    { ...ofSlack, path: "u/ann/plain", callback_url: `${api}/u/ann/plain`, manifest_url: `${api}/manifest/u/ann/plain` },
    expect.objectContaining({ path: "u/ann/trusting", address_trust: "on" }),
    expect.objectContaining({ path: "u/ann/without_token", fault: expect.stringContaining("token") }),
  ]);
  expect(JSON.stringify(found)).not.toMatch(/xoxb|signing secret/);
  expect(await listChatResources(world.deps, world.workspace, (path) => path === "u/ann/plain")).toHaveLength(1);
});

it("the trust of a resource is inactive after another user than an administrator has saved it", async () => {
  await createVariable(world.deps, admin, { path: "u/ann/signing", value: "signing secret", is_secret: true, description: "" });
  await create("u/ann/trusting", { trust_email: true });
  const rights = { workspace: world.workspace, role: "developer" as const, groups: [], folders: {}, objects: {} };
  const developer = { actor: { ...anAdmin, superAdmin: false, rights }, workspace: world.workspace };
  await updateResource(world.deps, { ...developer, path: "u/ann/trusting" }, { value: { ...value, trust_email: true } });
  expect(await list()).toEqual([expect.objectContaining({ path: "u/ann/trusting", address_trust: "inactive" })]);
});
