import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newTriggerSchemas } from "../../contract/routes/triggers/trigger-kinds.ts";
import { httpRouteFailuresObject } from "../../core/http-routes/failures.ts";
import { httpRoutesAtObject } from "../../core/http-routes/route-entries.ts";
import type { Person } from "../../core/people/actor.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { addWorkspace } from "../../test/support/use-cases/world-jobs.ts";
import { repeat } from "../../test/support/use-cases/world-objects.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { newTriggerWorld, type TriggerWorld } from "../../test/support/use-cases/world-triggers.ts";
import { findHttpRoute } from "../http-routes/find-http-route.ts";
import { setGlobalSetting } from "../settings/instance.ts";
import { httpRouteExists, removeHttpRoutes } from "./http-route-entries.ts";
import { getTrigger, listTriggers } from "./read.ts";
import { deleteTrigger, setTriggerMode } from "./save.ts";

let world: TriggerWorld;
let script: string;
beforeAll(async () => {
  world = await newTriggerWorld();
  script = await world.addRunnable("u/ann/handle");
});

const newPath = () => `u/ann/${randomUUID()}`;
const newAddress = () => `t${randomUUID()}`;
const route = (path: string, address: string, own: object = {}) => ({
  ...{
    path,
    script_path: script,
    is_flow: false,
    route_path: address,
    http_method: "get",
    workspaced_route: true,
    authentication_method: "none",
  },
  ...own,
});
const inWorkspace = (role: "admin" | "developer"): Person => {
  const rights = { ...(anAdmin.rights ?? {}), workspace: world.workspace, role } as NonNullable<Person["rights"]>;
  return { ...anAdmin, superAdmin: false, rights };
};
const find = async (address: string, method: "get" | "post" | "options" = "get") => {
  const match = await findHttpRoute(world.deps, { method, path: `${world.workspace}/${address}` });
  return match.outcome === "found" ? [match.route.trigger.path, match.route.params] : match;
};
const unknown = { outcome: "unknown" };
const entriesAt = async (address: string) => (await world.deps.objects.get(httpRoutesAtObject.key(`${world.workspace}/${address}`)))?.value;

describe("an HTTP route", () => {
  it("is stored with all its fields, and found by its address", async () => {
    const [path, address] = [newPath(), newAddress()];
    const own = {
      ...{ request_type: "async", authentication_method: "windmill", wrap_body: true, raw_string: true, summary: "s", description: "d" },
      ...{ allowed_origins: ["https://shop.example"], is_static_website: false },
    };
    await world.create("http", route(path, `${address}/:id`, own));
    const place = { workspace: world.workspace, kind: "http" as const, path };
    expect((await getTrigger(world.deps, place)).json).toMatchObject({ ...route(path, `${address}/:id`, own), mode: "enabled" });
    expect((await listTriggers(world.deps, place, {}, () => true)).some((one) => one.path === path)).toBe(true);
    expect(await find(`${address}/7`)).toEqual([path, { id: "7" }]);
    expect(await find(`${address}/7`, "post")).toEqual({ outcome: "otherMethod", allowed: ["get"] });
    expect(await find(`${address}/7/8`)).toEqual(unknown);
    expect(await find(address)).toEqual(unknown);
  });

  it("needs no script if it serves files, and one otherwise", async () => {
    const [path, address] = [newPath(), newAddress()];
    const files = { script_path: "", is_static_website: true, static_asset_config: { s3: "f/site", storage: "_stack_" } };
    await world.create("http", route(path, address, files));
    const place = { workspace: world.workspace, kind: "http" as const, path };
    expect((await getTrigger(world.deps, place)).json).toMatchObject({ script_path: "", is_static_website: true });
    expect(await find(address)).toEqual([path, {}]);
    await setTriggerMode(world.deps, { actor: anAdmin, ...place }, "disabled");
    await setTriggerMode(world.deps, { actor: anAdmin, ...place }, "enabled");
    expect(await find(address)).toEqual([path, {}]);
    const refused = newTriggerSchemas.http.safeParse(route(path, address, { script_path: "" }));
    expect(refused.error?.issues).toMatchObject([{ path: ["script_path"] }]);
  });

  it("shows its last refused requests in its details alone", async () => {
    const [path, address] = [newPath(), newAddress()];
    await world.create("http", route(path, address));
    const place = { workspace: world.workspace, kind: "http" as const, path };
    const match = await findHttpRoute(world.deps, { method: "get", path: `${world.workspace}/${address}` });
    const id = match.outcome === "found" ? match.route.trigger.id : "";
    const failures = [{ atMs: 0, reason: "wrongKey" }];
    await world.deps.objects.put({ ...httpRouteFailuresObject.key(world.workspace, id), value: { failures } });
    const shown = [{ at: "1970-01-01T00:00:00.000Z", reason: "wrongKey" }];
    expect((await getTrigger(world.deps, place)).json).toMatchObject({ last_failures: shown });
    expect((await listTriggers(world.deps, place, {}, () => true)).flatMap((one) => one["last_failures"] ?? [])).toEqual([]);
    await deleteTrigger(world.deps, world.caller("http", path));
    expect(await world.deps.objects.get(httpRouteFailuresObject.key(world.workspace, id))).toBeUndefined();
  });

  it("changes its address and its path, and leaves no entry behind", async () => {
    const [path, to, address, other] = [newPath(), newPath(), newAddress(), newAddress()];
    await world.create("http", route(path, `${address}/:a`));
    await world.update("http", path, route(path, `${address}/:renamed`));
    expect(await find(`${address}/1`)).toEqual([path, { renamed: "1" }]);
    await world.update("http", path, route(to, `${other}/*all`));
    expect(await find(`${address}/1`)).toEqual(unknown);
    expect(await entriesAt(address)).toBeUndefined();
    expect(await find(`${other}/1/2`)).toEqual([to, { all: "1/2" }]);
    await deleteTrigger(world.deps, world.caller("http", to));
    expect(await entriesAt(other)).toBeUndefined();
    expect(await find(`${other}/1/2`)).toEqual(unknown);
  });

  it("is found while it is suspended or disabled, so that its request can be answered accordingly", async () => {
    const [path, address] = [newPath(), newAddress()];
    await world.create("http", route(path, address));
    await setTriggerMode(world.deps, world.caller("http", path), "disabled");
    const match = await findHttpRoute(world.deps, { method: "get", path: `${world.workspace}/${address}` });
    expect(match.outcome === "found" && match.route.trigger.mode).toBe("disabled");
  });

  it("cannot match the requests of another route, which the error names in the same workspace alone", async () => {
    const [path, address] = [newPath(), newAddress()];
    await world.create("http", route(path, `${address}/:a`));
    const again = route(newPath(), `${address}/:b`);
    await expect(world.create("http", again)).rejects.toMatchObject({ code: "trigger.routeTaken", details: { path } });
    await world.create("http", { ...again, http_method: "post" });
    await world.create("http", { ...again, path: newPath(), route_path: `${address}/text` });
    const check = { route_path: `${address}/:c`, http_method: "get" as const, workspaced_route: true };
    expect(await httpRouteExists(world.deps.objects, world.workspace, check)).toBe(true);
    expect(await httpRouteExists(world.deps.objects, world.workspace, { ...check, trigger_path: path })).toBe(false);
    expect(await httpRouteExists(world.deps.objects, world.workspace, { ...check, workspaced_route: false })).toBe(false);
    const folder = { static_asset_config: { s3: "site" }, is_static_website: true };
    await expect(world.create("http", route(newPath(), `${address}/text`, folder))).rejects.toMatchObject({ code: "trigger.routeTaken" });
  });

  it("that serves files is refused on creation and change if its method or its folder does not fit", async () => {
    const [path, address] = [newPath(), newAddress()];
    const site = { is_static_website: true, static_asset_config: { s3: "site" } };
    const refused = (field: string) => expect.objectContaining({ code: "trigger.source", details: expect.objectContaining({ field }) });
    const posted = route(path, address, { ...site, http_method: "post" });
    await expect(world.create("http", posted)).rejects.toEqual(refused("http_method"));
    await world.create("http", route(path, address, site));
    expect(await find(`${address}/a/b`)).toEqual([path, {}]);
    const withoutFolder = route(path, address, { is_static_website: true });
    await expect(world.update("http", path, withoutFolder)).rejects.toEqual(refused("static_asset_config"));
  });

  it("needs an administrator for its address, and a superadmin without the prefix of the workspace", async () => {
    const [path, address] = [newPath(), newAddress()];
    const [admin, writer] = [inWorkspace("admin"), inWorkspace("developer")];
    await expect(world.create("http", route(path, address), writer)).rejects.toMatchObject({ code: "trigger.needsAdmin" });
    await world.create("http", route(path, address), admin);
    await world.update("http", path, route(path, address, { summary: "changed" }), writer);
    for (const own of [{ route_path: newAddress() }, { http_method: "post" }, { workspaced_route: false }]) {
      await expect(world.update("http", path, route(path, address, own), writer)).rejects.toMatchObject({ code: "trigger.needsAdmin" });
    }
    const global = { workspaced_route: false };
    await expect(world.update("http", path, route(path, address, global), admin)).rejects.toMatchObject({
      code: "trigger.needsSuperadmin",
    });
    const top = { ...anAdmin, superAdmin: true };
    await setGlobalSetting(world.deps, "http_route_workspaced_route", true);
    await expect(world.update("http", path, route(path, address, global), top)).rejects.toMatchObject({ code: "trigger.needsSuperadmin" });
    await setGlobalSetting(world.deps, "http_route_workspaced_route", false);
    await world.update("http", path, route(path, address, global), top);
    const match = await findHttpRoute(world.deps, { method: "get", path: address });
    expect(match.outcome).toBe("found");
  });

  it("survives a death at each write, and two routes that are saved at once both have their entries", async () => {
    await expectToSurviveFaults(async () => {
      const [path, address] = [newPath(), newAddress()];
      return {
        act: () => world.create("http", route(path, `${address}/:a`)),
        recover: () => repeat(() => world.create("http", route(path, `${address}/:a`)), ["trigger.exists"]),
        check: async () => expect(await find(`${address}/1`)).toEqual([path, { a: "1" }]),
      };
    });
    const address = newAddress();
    const paths = [newPath(), newPath(), newPath()];
    await Promise.all(paths.map((path, index) => world.create("http", route(path, `${address}/:a/${index}`))));
    expect(await Promise.all(paths.map((_, index) => find(`${address}/x/${index}`)))).toEqual(paths.map((path) => [path, { a: "x" }]));
  });

  it("frees its address when its workspace is deleted", async () => {
    const [path, address] = [newPath(), newAddress()];
    await addWorkspace(world);
    await world.create("http", route(path, address, { workspaced_route: false }), { ...anAdmin, superAdmin: true });
    await removeHttpRoutes(world.deps.objects, world.workspace);
    await removeHttpRoutes(world.deps.objects, world.workspace);
    expect(await world.deps.objects.get(httpRoutesAtObject.key(address))).toBeUndefined();
  });
});

describe("the search for a route", () => {
  it("takes two reads, with few or many routes", async () => {
    const address = newAddress();
    const path = newPath();
    await world.create("http", route(path, `${address}/:a/x`));
    const entry = ((await entriesAt(address)) as { routes: object[] }).routes[0];
    const many = Array.from({ length: 1000 }, (_, index) => ({
      ...entry,
      id: randomUUID(),
      address: `${world.workspace}/${address}/:a/${index}`,
    }));
    await world.deps.objects.put({
      ...httpRoutesAtObject.key(`${world.workspace}/${address}`),
      value: { routes: [...many, entry] },
      version: "1",
    });
    let reads = 0;
    const batchGet: typeof world.deps.objects.batchGet = (...args) => {
      reads += 1;
      return world.deps.objects.batchGet(...args);
    };
    const match = await findHttpRoute(
      { objects: { ...world.deps.objects, batchGet } },
      { method: "get", path: `${world.workspace}/${address}/1/x` },
    );
    expect([match.outcome, reads]).toEqual(["found", 2]);
    expect(await findHttpRoute({ objects: { ...world.deps.objects, batchGet } }, { method: "get", path: "nothing/here" })).toEqual(unknown);
    expect(reads).toBe(3);
  });

  it("ignores an entry that is older than its trigger", async () => {
    const [path, address] = [newPath(), newAddress()];
    await world.create("http", route(path, address));
    const key = httpRoutesAtObject.key(`${world.workspace}/${address}`);
    const { routes } = (await entriesAt(address)) as { routes: object[] };
    await world.deps.objects.put({ ...key, value: { routes: routes.map((entry) => ({ ...entry, scriptPath: "u/ann/other" })) } });
    expect(await find(address)).toEqual(unknown);
  });
});
