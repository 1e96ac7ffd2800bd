import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { type AppChange, appChangeSchema, appRoutes, type NewApp, newAppSchema } from "../../contract/routes/stored/apps.ts";
import { appVersionObject, deletedAppObject } from "../../core/apps/app.ts";
import { personKey } from "../../core/people/person.ts";
import { memberObject } from "../../core/permissions/access.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { eventsOf, listEvents } from "../../test/support/use-cases/world-events.ts";
import { newWorldWithFolder, repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { changeAcl, getAcl } from "../workspaces/acls.ts";
import { deleteApp } from "./delete.ts";
import { appExists, getApp, getAppVersion, listAppHistory, listApps } from "./read.ts";
import { appObjectKey, createApp, updateApp } from "./save.ts";

let world: World;
beforeAll(async () => {
  world = await newWorldWithFolder();
  const member = { email: "bob@example.com", username: "bob", role: "developer", createdAtMs: 0 };
  await world.deps.objects.put({ ...memberObject.key(world.workspace, personKey(member.email)), value: member });
});

const newPath = () => `f/t/${randomUUID()}`;
const caller = (actor = anAdmin) => ({ actor, workspace: world.workspace });
const bob = () => {
  const reader = aReader(world.workspace, []);
  return { ...reader, rights: { ...reader.rights, folders: { t: "write" } } } as typeof reader;
};
const create = (path: string, fields: Partial<NewApp> = {}, actor = anAdmin) => {
  world.clock.nowMs += 1;
  const sent = { path, value: { grid: [] }, summary: "Report", policy: { execution_mode: "viewer" }, ...fields };
  return createApp(world.deps, caller(actor), newAppSchema.parse(sent));
};
const update = (path: string, fields: Partial<AppChange>, actor = anAdmin) => {
  world.clock.nowMs += 1;
  return updateApp(world.deps, { ...caller(actor), path }, appChangeSchema.parse(fields));
};
const everything = { readable: () => true, starred: new Set<string>() };
const load = (path: string) => getApp(world.deps, world.workspace, path).then(({ json }) => json);
const loadVersion = (version: number, actor = anAdmin) =>
  getAppVersion(world.deps, { ...caller(actor), action: appRoutes.getAppVersion }, version);
const remove = (path: string) => deleteApp(world.deps, { ...caller(), path });
const large = "x".repeat(limits.itemBytes + 1);

describe("an app", () => {
  it("is returned as it was sent, in each of its versions", async () => {
    const path = newPath();
    const policy = { execution_mode: "publisher" as const, triggerables_v2: { a: { b: [1] }, constructor: 1 }, constructor: [2] };
    const value = JSON.parse('{"grid":[1],"__proto__":{"x":1}}') as unknown;
    expect(
      await create(path, { value, policy, labels: ["daily"], custom_path: `reports/${path.slice(4)}`, deployment_message: "first" }),
    ).toBe(path);
    const first = await load(path);
    expect(first).toEqual({
      id: expect.any(Number),
      workspace_id: world.workspace,
      path,
      summary: "Report",
      versions: [first.id],
      created_by: "ann",
      created_at: new Date(world.clock.nowMs).toISOString(),
      value,
      policy: { ...policy, on_behalf_of: "u/ann", on_behalf_of_email: "ann@example.com" },
      execution_mode: "publisher",
      extra_perms: {},
      custom_path: `reports/${path.slice(4)}`,
      raw_app: false,
      labels: ["daily"],
    });
    expect(JSON.stringify(first.value)).toBe(JSON.stringify(value));
    const { version } = await update(path, { value: { large }, deployment_message: "second" });
    expect(await load(path)).toMatchObject({ ...first, versions: [first.id, version], created_at: expect.anything(), value: { large } });
    expect([(await loadVersion(first.id)).value, (await loadVersion(version)).value]).toEqual([value, { large }]);
    const made = { created_at: expect.any(String), created_by: "ann" };
    expect(await listAppHistory(world.deps, world.workspace, path)).toEqual([
      { version, deployment_msg: "second", ...made },
      { version: first.id, deployment_msg: "first", ...made },
    ]);
    // Without a value there is no new version.
    expect(await update(path, { summary: "Other", custom_path: "" })).toEqual({ path, version });
    expect(await load(path)).toMatchObject({ summary: "Other", versions: [first.id, version] });
    expect(await load(path)).not.toHaveProperty("custom_path");
  });

  it("is listed by its filters, newest first, if the caller may see it", async () => {
    const [a, b] = [newPath(), newPath()];
    await create(a, { labels: ["x"] });
    await create(b, {}, bob());
    const list = async (query: object, visible = (path: string) => [a, b].includes(path)) =>
      (await listApps(world.deps, world.workspace, query, { readable: visible, starred: new Set([b]) })).map(({ path }) => path);
    expect(await list({})).toEqual([b, a]);
    expect(await list({ order_desc: false, per_page: 1, page: 2 })).toEqual([b]);
    expect(await list({ label: "x" })).toEqual([a]);
    expect(await list({ created_by: "bob" })).toEqual([b]);
    expect([await list({ path_exact: a }), await list({ path_start: b }), await list({ starred_only: true })]).toEqual([[a], [b], [b]]);
    expect(await list({}, (path) => path === a)).toEqual([a]);
    expect(await listApps(world.deps, world.workspace, { path_exact: a }, everything)).toMatchObject([
      { version: expect.any(Number), execution_mode: "viewer", starred: false },
    ]);
  });

  it("exists once at a path and once under a custom path of its workspace", async () => {
    const [path, other] = [newPath(), newPath()];
    await create(path, { custom_path: path });
    await expect(create(path)).rejects.toMatchObject({ code: "app.exists" });
    await expect(create(other, { custom_path: path })).rejects.toMatchObject({ code: "app.customPathTaken" });
    await create(other);
    await expect(update(other, { custom_path: path })).rejects.toMatchObject({ code: "app.customPathTaken" });
    await expect(update(other, { path })).rejects.toMatchObject({ code: "app.exists" });
    await remove(path);
    expect(await update(other, { custom_path: path })).toMatchObject({ path: other });
  });

  it("runs for the user who saves it, unless an admin preserves another one", async () => {
    const path = newPath();
    const behalf = async () => (await load(path)).policy.on_behalf_of;
    const policy = { execution_mode: "publisher" as const, on_behalf_of_email: "ann@example.com", on_behalf_of: "u/ann" };
    await create(path, { policy }, bob());
    expect(await behalf()).toBe("u/bob");
    await expect(update(path, { policy, preserve_on_behalf_of: true }, bob())).rejects.toMatchObject({ code: "script.notOnBehalf" });
    const ofBob = { ...policy, on_behalf_of_email: "bob@example.com" };
    await update(path, { policy: ofBob, preserve_on_behalf_of: true });
    expect(await behalf()).toBe("u/bob");
    await update(path, { value: 1, policy: { execution_mode: "publisher" } });
    expect(await behalf()).toBe("u/ann");
    // Other changes do not affect running code.
    await update(path, { summary: "new" }, bob());
    expect(await behalf()).toBe("u/ann");
  });

  it("hides its versions from callers who may not read it", async () => {
    const path = newPath();
    await create(path);
    const { id } = await load(path);
    await expect(loadVersion(id, aReader(world.workspace, []))).rejects.toMatchObject({ code: "app.versionNotFound" });
    expect(await loadVersion(id, aReader(world.workspace, ["t"]))).toMatchObject({ path });
    await expect(loadVersion(id + 1)).rejects.toMatchObject({ code: "app.versionNotFound" });
  });

  it("reports its changes without its value", async () => {
    const [path, to] = [newPath(), newPath()];
    await create(path, { deployment_message: "first" });
    const { id } = await load(path);
    await changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind: "app", path }, { owner: "u/bob", right: false });
    const { version } = await update(path, { path: to, value: 2 });
    await remove(to);
    const events = (await listEvents(world)).filter(({ data }) => [path, to].includes((data as { path?: string }).path ?? ""));
    expect(events.map(({ type, by, data }) => ({ type, by, data }))).toEqual([
      { type: "CreateApp", by: "ann", data: { path, version: id, deployment_message: "first" } },
      { type: "UpdateApp", by: "ann", data: { path, version: id } },
      { type: "UpdateApp", by: "ann", data: { path: to, old_path: path, version } },
      { type: "DeleteApp", by: "ann", data: { path: to, version } },
    ]);
    const nowhere = { workspace: world.workspace, kind: "app", path };
    await expect(changeAcl(world.deps, anAdmin, nowhere, { owner: "u/bob", right: true })).rejects.toMatchObject({
      code: "access.notFound",
    });
  });

  it("must fit into a reply together with its value", async () => {
    await expect(create(newPath(), { value: '"'.repeat(2_000_000) })).rejects.toMatchObject({ code: "body.tooLarge" });
  });
});

describe("saving an app, whichever write fails,", () => {
  it("creates it once with its large value", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      const act = () => create(path, { value: large, custom_path: path });
      return {
        act,
        recover: () => repeat(act, ["app.exists"]),
        check: async () => {
          expect(await load(path)).toMatchObject({ value: large, custom_path: path });
          expect(await eventsOf(world, path)).toEqual(["CreateApp"]);
        },
      };
    });
  });

  it("renames it with a new version, its history, permissions and custom path", async () => {
    await expectToSurviveFaults(async () => {
      const [from, to] = [newPath(), newPath()];
      await create(from, { custom_path: from });
      const { id } = await load(from);
      await changeAcl(world.deps, anAdmin, { workspace: world.workspace, kind: "app", path: from }, { owner: "u/bob", right: true });
      const act = () => update(from, { path: to, value: large, custom_path: to });
      return {
        act,
        recover: () => repeat(act, ["app.notFound"]),
        check: async () => {
          const app = await load(to);
          expect(app).toMatchObject({ id, value: large, custom_path: to, extra_perms: { "u/bob": true } });
          expect(app.versions).toHaveLength(2);
          expect(await loadVersion(id)).toMatchObject({ path: to, value: { grid: [] } });
          expect(await appExists(world.deps, world.workspace, from)).toBe(false);
          expect(await getAcl(world.deps, { workspace: world.workspace, kind: "app", path: from })).toEqual({});
          // The old custom path is free.
          await create(from, { custom_path: from });
        },
      };
    });
  });

  it("deletes it with its versions, and a new app at the path has none of them", async () => {
    await expectToSurviveFaults(async () => {
      const path = newPath();
      await create(path, { value: large, custom_path: path });
      const { version } = await update(path, { value: 2 });
      const { id } = await load(path);
      const act = () => remove(path);
      return {
        act,
        recover: act,
        check: async () => {
          expect(await appExists(world.deps, world.workspace, path)).toBe(false);
          for (const each of [id, version]) {
            expect(await world.deps.objects.get(appVersionObject.key(world.workspace, each))).toBeUndefined();
            expect(await world.deps.storage.getObject(appObjectKey(world.workspace, each), 10)).toBeUndefined();
          }
          expect(await world.deps.objects.list(deletedAppObject.partitionKey(world.workspace), { beginsWith: path })).toEqual([]);
          expect((await eventsOf(world, path)).filter((type) => type === "DeleteApp")).toHaveLength(1);
          await create(path, { custom_path: path });
          expect((await load(path)).versions).toHaveLength(1);
        },
      };
    });
  });
});
