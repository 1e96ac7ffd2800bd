import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { httpRouteFailuresObject } from "../../core/http-routes/failures.ts";
import { httpRoutesAtObject } from "../../core/http-routes/route-entries.ts";
import type { Person } from "../../core/people/actor.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { addWorkspace } from "../../test/support/use-cases/room-jobs.ts";
import { repeat } from "../../test/support/use-cases/room-objects.ts";
import { anAdmin } from "../../test/support/use-cases/room-people.ts";
import { newTriggerRoom, type TriggerRoom } from "../../test/support/use-cases/room-triggers.ts";
import { findHttpRoute } from "../http-routes/find-http-route.ts";
import { setGlobalSetting } from "../settings/instance.ts";
import { httpRouteExists, removeHttpRoutes } from "./http-route-entries.ts";
import { getTrigger, listTriggers } from "./read.ts";
import { deleteTrigger, setTriggerMode } from "./save.ts";

let room: TriggerRoom;
let script: string;
beforeAll(async () => {
  room = await newTriggerRoom();
  script = await room.addRunnable("u/ann/handle");
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
  const rights = { ...(anAdmin.rights ?? {}), workspace: room.workspace, role } as NonNullable<Person["rights"]>;
  return { ...anAdmin, superAdmin: false, rights };
};
const find = async (address: string, method: "get" | "post" | "options" = "get") => {
  const match = await findHttpRoute(room.deps, { method, path: `${room.workspace}/${address}` });
  return match.outcome === "found" ? [match.route.trigger.path, match.route.params] : match;
};
const unknown = { outcome: "unknown" };
const entriesAt = async (address: string) => (await room.deps.objects.get(httpRoutesAtObject.key(`${room.workspace}/${address}`)))?.value;

describe("an HTTP route", () => {
  it("is stored with all its fields, and found by its address", async () => {
    const [path, address] = [newPath(), newAddress()];
    const own = {
      ...{ request_type: "async", authentication_method: "windmill", wrap_body: true, raw_string: true, summary: "s", description: "d" },
      ...{ allowed_origins: ["https://shop.example"], is_static_website: false },
    };
    await room.create("http", route(path, `${address}/:id`, own));
    const place = { workspace: room.workspace, kind: "http" as const, path };
    expect(await getTrigger(room.deps, place)).toMatchObject({ ...route(path, `${address}/:id`, own), mode: "enabled" });
    expect((await listTriggers(room.deps, place, {}, () => true)).some((one) => one.path === path)).toBe(true);
    expect(await find(`${address}/7`)).toEqual([path, { id: "7" }]);
    expect(await find(`${address}/7`, "post")).toEqual({ outcome: "otherMethod", allowed: ["get"] });
    expect(await find(`${address}/7/8`)).toEqual(unknown);
    expect(await find(address)).toEqual(unknown);
  });

  it("shows its last refused requests in its details alone", async () => {
    const [path, address] = [newPath(), newAddress()];
    await room.create("http", route(path, address));
    const place = { workspace: room.workspace, kind: "http" as const, path };
    const match = await findHttpRoute(room.deps, { method: "get", path: `${room.workspace}/${address}` });
    const id = match.outcome === "found" ? match.route.trigger.id : "";
    const failures = [{ atMs: 0, reason: "wrongKey" }];
    await room.deps.objects.put({ ...httpRouteFailuresObject.key(room.workspace, id), value: { failures } });
    const shown = [{ at: "1970-01-01T00:00:00.000Z", reason: "wrongKey" }];
    expect(await getTrigger(room.deps, place)).toMatchObject({ last_failures: shown });
    expect((await listTriggers(room.deps, place, {}, () => true)).flatMap((one) => one["last_failures"] ?? [])).toEqual([]);
    await deleteTrigger(room.deps, room.caller("http", path));
    expect(await room.deps.objects.get(httpRouteFailuresObject.key(room.workspace, id))).toBeUndefined();
  });

  it("moves with its address and its path, and leaves no entry behind", async () => {
    const [path, to, address, other] = [newPath(), newPath(), newAddress(), newAddress()];
    await room.create("http", route(path, `${address}/:a`));
    await room.update("http", path, route(path, `${address}/:renamed`));
    expect(await find(`${address}/1`)).toEqual([path, { renamed: "1" }]);
    await room.update("http", path, route(to, `${other}/*all`));
    expect(await find(`${address}/1`)).toEqual(unknown);
    expect(await entriesAt(address)).toBeUndefined();
    expect(await find(`${other}/1/2`)).toEqual([to, { all: "1/2" }]);
    await deleteTrigger(room.deps, room.caller("http", to));
    expect(await entriesAt(other)).toBeUndefined();
    expect(await find(`${other}/1/2`)).toEqual(unknown);
  });

  it("is found while it is suspended or disabled, so that its request can be answered accordingly", async () => {
    const [path, address] = [newPath(), newAddress()];
    await room.create("http", route(path, address));
    await setTriggerMode(room.deps, room.caller("http", path), "disabled");
    const match = await findHttpRoute(room.deps, { method: "get", path: `${room.workspace}/${address}` });
    expect(match.outcome === "found" && match.route.trigger.mode).toBe("disabled");
  });

  it("cannot match the requests of another route, which the error names in the same workspace alone", async () => {
    const [path, address] = [newPath(), newAddress()];
    await room.create("http", route(path, `${address}/:a`));
    const again = route(newPath(), `${address}/:b`);
    await expect(room.create("http", again)).rejects.toMatchObject({ code: "trigger.routeTaken", details: { path } });
    await room.create("http", { ...again, http_method: "post" });
    await room.create("http", { ...again, path: newPath(), route_path: `${address}/text` });
    const check = { route_path: `${address}/:c`, http_method: "get" as const, workspaced_route: true };
    expect(await httpRouteExists(room.deps.objects, room.workspace, check)).toBe(true);
    expect(await httpRouteExists(room.deps.objects, room.workspace, { ...check, trigger_path: path })).toBe(false);
    expect(await httpRouteExists(room.deps.objects, room.workspace, { ...check, workspaced_route: false })).toBe(false);
    const folder = { static_asset_config: { s3: "site" }, is_static_website: true };
    await expect(room.create("http", route(newPath(), `${address}/text`, folder))).rejects.toMatchObject({ code: "trigger.routeTaken" });
  });

  it("that serves files is refused on creation and change if its method or its folder does not fit", async () => {
    const [path, address] = [newPath(), newAddress()];
    const site = { is_static_website: true, static_asset_config: { s3: "site" } };
    const refused = (field: string) => expect.objectContaining({ code: "trigger.source", details: expect.objectContaining({ field }) });
    const posted = route(path, address, { ...site, http_method: "post" });
    await expect(room.create("http", posted)).rejects.toEqual(refused("http_method"));
    await room.create("http", route(path, address, site));
    expect(await find(`${address}/a/b`)).toEqual([path, {}]);
    const withoutFolder = route(path, address, { is_static_website: true });
    await expect(room.update("http", path, withoutFolder)).rejects.toEqual(refused("static_asset_config"));
  });

  it("needs an administrator for its address, and a superadmin without the prefix of the workspace", async () => {
    const [path, address] = [newPath(), newAddress()];
    const [admin, writer] = [inWorkspace("admin"), inWorkspace("developer")];
    await expect(room.create("http", route(path, address), writer)).rejects.toMatchObject({ code: "trigger.needsAdmin" });
    await room.create("http", route(path, address), admin);
    await room.update("http", path, route(path, address, { summary: "changed" }), writer);
    for (const own of [{ route_path: newAddress() }, { http_method: "post" }, { workspaced_route: false }]) {
      await expect(room.update("http", path, route(path, address, own), writer)).rejects.toMatchObject({ code: "trigger.needsAdmin" });
    }
    const global = { workspaced_route: false };
    await expect(room.update("http", path, route(path, address, global), admin)).rejects.toMatchObject({ code: "trigger.needsSuperadmin" });
    const top = { ...anAdmin, superAdmin: true };
    await setGlobalSetting(room.deps, "http_route_workspaced_route", true);
    await expect(room.update("http", path, route(path, address, global), top)).rejects.toMatchObject({ code: "trigger.needsSuperadmin" });
    await setGlobalSetting(room.deps, "http_route_workspaced_route", false);
    await room.update("http", path, route(path, address, global), top);
    const match = await findHttpRoute(room.deps, { method: "get", path: address });
    expect(match.outcome).toBe("found");
  });

  it("survives a death at each write, and two that are saved at once both have their entries", async () => {
    await expectToSurviveFaults(async () => {
      const [path, address] = [newPath(), newAddress()];
      return {
        act: () => room.create("http", route(path, `${address}/:a`)),
        recover: () => repeat(() => room.create("http", route(path, `${address}/:a`)), ["trigger.exists"]),
        check: async () => expect(await find(`${address}/1`)).toEqual([path, { a: "1" }]),
      };
    });
    const address = newAddress();
    const paths = [newPath(), newPath(), newPath()];
    await Promise.all(paths.map((path, index) => room.create("http", route(path, `${address}/:a/${index}`))));
    expect(await Promise.all(paths.map((_, index) => find(`${address}/x/${index}`)))).toEqual(paths.map((path) => [path, { a: "x" }]));
  });

  it("frees its address when its workspace is deleted", async () => {
    const [path, address] = [newPath(), newAddress()];
    await addWorkspace(room);
    await room.create("http", route(path, address, { workspaced_route: false }), { ...anAdmin, superAdmin: true });
    await removeHttpRoutes(room.deps.objects, room.workspace);
    await removeHttpRoutes(room.deps.objects, room.workspace);
    expect(await room.deps.objects.get(httpRoutesAtObject.key(address))).toBeUndefined();
  });
});

describe("the search for a route", () => {
  it("takes two reads, with few or many routes", async () => {
    const address = newAddress();
    const path = newPath();
    await room.create("http", route(path, `${address}/:a/x`));
    const entry = ((await entriesAt(address)) as { routes: object[] }).routes[0];
    const many = Array.from({ length: 1000 }, (_, index) => ({
      ...entry,
      id: randomUUID(),
      address: `${room.workspace}/${address}/:a/${index}`,
    }));
    await room.deps.objects.put({
      ...httpRoutesAtObject.key(`${room.workspace}/${address}`),
      value: { routes: [...many, entry] },
      version: "1",
    });
    let reads = 0;
    const batchGet: typeof room.deps.objects.batchGet = (...args) => {
      reads += 1;
      return room.deps.objects.batchGet(...args);
    };
    const match = await findHttpRoute({ objects: { batchGet } }, { method: "get", path: `${room.workspace}/${address}/1/x` });
    expect([match.outcome, reads]).toEqual(["found", 2]);
    expect(await findHttpRoute({ objects: { batchGet } }, { method: "get", path: "nothing/here" })).toEqual(unknown);
    expect(reads).toBe(3);
  });

  it("passes over an entry that is older than its trigger", async () => {
    const [path, address] = [newPath(), newAddress()];
    await room.create("http", route(path, address));
    const key = httpRoutesAtObject.key(`${room.workspace}/${address}`);
    const { routes } = (await entriesAt(address)) as { routes: object[] };
    await room.deps.objects.put({ ...key, value: { routes: routes.map((entry) => ({ ...entry, scriptPath: "u/ann/other" })) } });
    expect(await find(address)).toEqual(unknown);
  });
});
