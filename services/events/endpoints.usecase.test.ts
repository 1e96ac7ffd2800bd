import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { defined } from "../../contract/defined.ts";
import { newWebhookSchema, webhookChangeSchema } from "../../contract/routes/events/webhooks.ts";
import { endpointObject, versionOfEndpoint } from "../../core/events/endpoint.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addEndpoint, listEvents } from "../../test/support/use-cases/world-events.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { getVersionedSettings, getWorkspaceSettings } from "../settings/workspace.ts";
import { createEndpoint, deleteEndpoint, listEndpoints, setWorkspaceWebhook, testEndpoint, updateEndpoint } from "./endpoints.ts";

let world: World;
beforeEach(async () => {
  world = await newWorld();
  await addWorkspace(world);
});

const URL_A = "https://a.example.com/hook/secret";
const URL_B = "https://b.example.com/hook";
const caller = () => ({ actor: anAdmin, workspace: world.workspace });
const create = (fields: object = {}) => createEndpoint(world.deps, caller(), newWebhookSchema.parse({ url: URL_A, ...fields }));
const update = (id: string, change: object) => updateEndpoint(world.deps, caller(), id, webhookChangeSchema.parse(change));
const set = (change: Parameters<typeof setWorkspaceWebhook>[2]) => setWorkspaceWebhook(world.deps, caller(), change);
const settings = async () => {
  const { webhook, events } = await getWorkspaceSettings(world.deps, world.workspace);
  return defined({ webhook, events });
};
const list = () => listEndpoints(world.deps, world.workspace);

describe("the workspace's webhook", () => {
  it("is set, shown and removed", async () => {
    expect(await settings()).toEqual({});
    await set({ webhook: URL_A });
    expect(await settings()).toEqual({ webhook: URL_A, events: null });
    for (const removal of [{}, { webhook: null }, { webhook: "" }, { webhook: null, events: null }]) {
      await set({ webhook: URL_A });
      expect(await set(removal)).toBeUndefined();
      expect(await settings()).toEqual({});
    }
  });

  it("keeps its types if they are absent, and receives all types after null", async () => {
    await set({ webhook: URL_A, events: ["CreateScript"] });
    await set({ webhook: URL_B });
    expect(await settings()).toEqual({ webhook: URL_B, events: ["CreateScript"] });
    await set({ webhook: URL_B, events: null });
    expect(await settings()).toEqual({ webhook: URL_B, events: null });
  });

  it("keeps its URL if only the types are sent, and without a URL there is nothing to change", async () => {
    await expect(set({ events: ["CreateScript"] })).rejects.toMatchObject({ code: "webhook.notFound" });
    await set({ webhook: URL_A });
    await set({ events: ["DeleteScript", "DeleteScript"] });
    expect(await settings()).toEqual({ webhook: URL_A, events: ["DeleteScript"] });
  });

  it("is enabled again by a URL, but not by other types", async () => {
    await addEndpoint(world, { enabled: false, disabledReason: "It failed for 5 days.", failingSinceMs: 1 });
    expect(await set({ events: ["CreateScript"] })).toMatchObject({ enabled: false, disabledReason: "It failed for 5 days." });
    const endpoint = await set({ webhook: URL_A });
    expect(endpoint).toMatchObject({ enabled: true });
    expect(endpoint).not.toHaveProperty("disabledReason");
    expect(endpoint).not.toHaveProperty("failingSinceMs");
  });

  it("is not stored in a workspace that was deleted", async () => {
    await world.deps.objects.deleteItem(workspaceObject.key(world.workspace));
    await expect(set({ webhook: URL_A })).rejects.toMatchObject({ code: "workspace.notFound" });
    await expect(create()).rejects.toMatchObject({ code: "workspace.notFound" });
    expect(await list()).toEqual([]);
  });
});

describe("further endpoints", () => {
  it("are created, changed, listed and deleted", async () => {
    await set({ webhook: URL_A });
    world.clock.nowMs += 1;
    const { id } = await create({ url: URL_B, events: ["CreateFlow"], paths: ["f/ops/**"], description: "For ops", enabled: false });
    expect((await list()).map((endpoint) => endpoint.id)).toEqual(["workspace", id]);
    expect((await list())[1]).toEqual({
      id,
      url: URL_B,
      events: ["CreateFlow"],
      paths: ["f/ops/**"],
      description: "For ops",
      enabled: false,
      createdBy: "ann",
      createdAtMs: world.clock.nowMs,
      editedBy: "ann",
      editedAtMs: world.clock.nowMs,
    });
    const changed = await update(id, { events: null, paths: null, description: null, enabled: true });
    expect(changed).toMatchObject({ id, url: URL_B, enabled: true });
    for (const field of ["events", "paths", "description"]) expect(changed).not.toHaveProperty(field);
    expect(await update(id, {})).toEqual(changed);
    await deleteEndpoint(world.deps, world.workspace, id);
    await expect(deleteEndpoint(world.deps, world.workspace, id)).rejects.toMatchObject({ code: "webhook.notFound" });
    await expect(update(id, {})).rejects.toMatchObject({ code: "webhook.notFound" });
    expect(await list()).toHaveLength(1);
  });

  it("have unique ids", async () => {
    await create({ id: "ops" });
    await expect(create({ id: "ops", url: URL_B })).rejects.toMatchObject({ code: "webhook.exists" });
    expect(await list()).toMatchObject([{ id: "ops", url: URL_A }]);
  });

  it("forget their failures with another URL", async () => {
    await addEndpoint(world, { id: "ops", enabled: true, failingSinceMs: 1 });
    expect(await update("ops", { description: "x" })).toMatchObject({ failingSinceMs: 1 });
    expect(await update("ops", { url: URL_A })).not.toHaveProperty("failingSinceMs");
  });

  it("are at most 20 in addition to the workspace's webhook, even if many are created at once", async () => {
    await set({ webhook: URL_A });
    for (let n = 0; n < 18; n += 1) await create();
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => create()));
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as { code: string }] : []));
    expect(reasons.map(({ code }) => code)).toEqual(Array(4).fill("webhook.tooMany"));
    expect(await list()).toHaveLength(21);
    await set({ webhook: URL_B });
    const [, first] = await list();
    await deleteEndpoint(world.deps, world.workspace, first?.id ?? "");
    await create();
    expect(await list()).toHaveLength(21);
  });

  it("concurrent changes of one endpoint lose no field", async () => {
    const { id } = await create();
    await Promise.all([
      update(id, { description: "x" }),
      update(id, { events: ["CreateFlow"] }),
      update(id, { paths: ["f/a"] }),
      update(id, { enabled: false }),
    ]);
    expect(await list()).toMatchObject([{ description: "x", events: ["CreateFlow"], paths: ["f/a"], enabled: false }]);
  });

  it("are created once, whichever write fails", async () => {
    let n = 0;
    await expectToSurviveFaults(async () => {
      n += 1;
      const id = `e${n}`;
      const act = () => create({ id });
      return {
        act,
        recover: () => repeat(act, ["webhook.exists"]),
        check: async () => expect((await list()).filter((endpoint) => endpoint.id === id)).toHaveLength(1),
      };
    });
  });
});

describe("testEndpoint", () => {
  it("writes an event for this endpoint", async () => {
    await set({ webhook: URL_A });
    const { id } = await create({ enabled: false });
    const event = await testEndpoint(world.deps, caller(), id);
    expect(await listEvents(world)).toEqual([
      { id: event, type: "svc.test", workspace: world.workspace, by: "ann", atMs: world.clock.nowMs, data: { endpoint: id } },
    ]);
  });

  it("writes no event for an endpoint that does not exist", async () => {
    await expect(testEndpoint(world.deps, caller(), "none")).rejects.toMatchObject({ code: "webhook.notFound" });
    expect(await listEvents(world)).toEqual([]);
  });
});

describe("a change that names the version that it replaces", () => {
  it("is refused after another admin has changed or removed the endpoint, and not after a failed delivery", async () => {
    const { id } = await create();
    const read = await list();
    const [version = ""] = read.filter((each) => each.id === id).map(versionOfEndpoint);
    const failing = { ...endpointObject.key(world.workspace, id), value: { ...read[0], failingSinceMs: 1 }, version: randomUUID() };
    await world.deps.objects.put(failing);
    const change = (url: string, expected: string) => updateEndpoint(world.deps, caller(), id, { url }, [expected]);
    const second = versionOfEndpoint(await change(URL_B, version));
    const refused = { code: "object.versionChanged", details: { path: id, by: "ann", version: second } };
    await expect(change(URL_A, version)).rejects.toMatchObject(refused);
    await expect(deleteEndpoint(world.deps, world.workspace, id, [version])).rejects.toMatchObject(refused);
    expect(await list()).toMatchObject([{ id, url: URL_B }]);
    await deleteEndpoint(world.deps, world.workspace, id, [second]);
    expect(await list()).toEqual([]);
  });

  it("has one winner of two admins who save the workspace's webhook in the same moment, by the version of the settings or of the endpoint", async () => {
    await set({ webhook: URL_A });
    const { version } = await getVersionedSettings(world.deps, world.workspace);
    const ofEndpoint = versionOfEndpoint((await list())[0]);
    const save = (webhook: string, expected: string) => setWorkspaceWebhook(world.deps, caller(), { webhook }, [expected]);
    const outcomes = await Promise.allSettled([save(URL_B, version), save(`${URL_B}/2`, ofEndpoint)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(setWorkspaceWebhook(world.deps, caller(), {}, [version])).rejects.toMatchObject({ code: "object.versionChanged" });
    await setWorkspaceWebhook(world.deps, caller(), {});
    await expect(save(URL_A, version)).rejects.toMatchObject({ code: "object.versionChanged" });
  });
});
