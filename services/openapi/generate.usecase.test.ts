import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newResourceSchema } from "../../contract/routes/stored/resources.ts";
import { openapiRequestSchema } from "../../contract/routes/triggers/openapi-documents.ts";
import type { Person } from "../../core/people/actor.ts";
import { scriptBodyObject, scriptListingObject } from "../../core/scripts/version.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { newTriggerWorld, type TriggerWorld } from "../../test/support/use-cases/world-triggers.ts";
import { createResource } from "../resources/save.ts";
import { generateOpenapi } from "./generate.ts";

let world: TriggerWorld;
const schema = { type: "object", properties: { order: { type: "string" } } };
beforeAll(async () => {
  world = await newTriggerWorld();
  const { objects } = world.deps;
  for (const path of ["u/ann/open", "u/bob/secret", "u/ann/old"]) {
    await world.addRunnable(path);
    const hash = randomUUID();
    await objects.put({ ...scriptBodyObject.key(world.workspace, hash), value: { json: JSON.stringify({ sent: { schema } }) } });
    const listing = { path, hash, createdAtMs: 0, createdBy: "ann", archived: path === "u/ann/old", summary: path, parentHashes: [] };
    await objects.put({ ...scriptListingObject.key(world.workspace, path), value: listing });
  }
  const resource = { path: "u/bob/key", resource_type: "api_key_auth", value: { header: "X-Shop", key: "k" } };
  await createResource(world.deps, { actor: anAdmin, workspace: world.workspace }, newResourceSchema.parse(resource));
  const own = { is_flow: false, workspaced_route: true, http_method: "post" };
  const key = { authentication_method: "api_key", authentication_resource_path: "u/bob/key" };
  await world.create("http", { ...own, path: "u/ann/open", script_path: "u/ann/open", route_path: "open/:id" });
  await world.create("http", { ...own, path: "u/ann/hidden", script_path: "u/bob/secret", route_path: "hidden", ...key });
  await world.create("http", { ...own, path: "u/bob/route", script_path: "u/ann/open", route_path: "bob" });
  await world.create("http", { ...own, path: "u/ann/off", script_path: "u/ann/open", route_path: "off", mode: "disabled" });
});

const aDeveloper = (): Person => {
  const rights = {
    ...(anAdmin.rights ?? {}),
    workspace: world.workspace,
    role: "developer",
    groups: [],
    folders: {},
    objects: {},
  } as NonNullable<Person["rights"]>;
  return { ...anAdmin, superAdmin: false, rights };
};
async function generate(request: object, actor: Person = anAdmin) {
  const reads: string[] = [];
  const { objects } = world.deps;
  const counted = {
    ...objects,
    list: (...args: Parameters<typeof objects.list>) => {
      reads.push("list");
      return objects.list(...args);
    },
    batchGet: (...args: Parameters<typeof objects.batchGet>) => {
      if (args[0].length > 0) reads.push("batchGet");
      return objects.batchGet(...args);
    },
  };
  const sent = openapiRequestSchema.parse({ openapi_spec_format: "json", ...request });
  const text = await generateOpenapi({ objects: counted, baseUrl: "https://svc.example" }, { actor, workspace: world.workspace }, sent);
  return { document: JSON.parse(text) as { paths: Record<string, object>; components: Record<string, object> }, reads };
}
const everyRoute = { http_route_filters: [{}] };
const route = (name: string) => `/api/r/${world.workspace}/${name}`;

describe("generateOpenapi", () => {
  it("contains the routes and webhooks that exist, by three queries and two batch reads", async () => {
    const { document, reads } = await generate({});
    const webhooks = ["run", "run_wait_result"].flatMap((form) =>
      ["u/ann/open", "u/bob/secret"].map((path) => `/api/w/${world.workspace}/jobs/${form}/p/${path}`),
    );
    const expected = [...["open/{id}", "hidden", "bob"].map(route), ...webhooks];
    expect(Object.keys(document.paths).sort()).toEqual(expected.sort());
    expect(JSON.stringify(document.paths[route("hidden")])).toContain("apiKey-X-Shop");
    expect(reads.sort()).toEqual(["batchGet", "batchGet", "list", "list", "list"]);
  });

  it("reads only the scripts of the selected routes without webhooks", async () => {
    const { document, reads } = await generate({ http_route_filters: [{ route_path_regex: "open/.*" }] });
    expect(Object.keys(document.paths)).toEqual([route("open/{id}")]);
    expect(reads).toEqual(["list", "batchGet", "batchGet"]);
    expect(document.components["schemas"]).toEqual({ script_u_ann_open: schema });
  });

  it("shows a caller nothing of a route, a script or a resource that the caller may not read", async () => {
    const { document } = await generate({ ...everyRoute, webhook_filters: [{ runnable_kind: "script" }] }, aDeveloper());
    expect(Object.keys(document.paths).filter((path) => path.startsWith("/api/r/"))).toEqual(["hidden", "open/{id}"].map(route));
    const text = JSON.stringify(document);
    expect(text).not.toContain("u/bob/secret");
    expect(text).not.toContain("X-Shop");
    expect(text).toContain("apiKey-X-API-Key");
  });

  it.each([
    ["no schema", undefined],
    ["an empty schema", {}],
  ])("describes a script with %s by the schema that was read from its source", async (_, stated) => {
    const path = `u/ann/inferred_${stated ? "empty" : "none"}`;
    const inferredSchema = { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] };
    const { objects } = world.deps;
    const hash = randomUUID();
    const json = JSON.stringify({ sent: { schema: stated }, inferredSchema });
    await world.addRunnable(path);
    await objects.put({ ...scriptBodyObject.key(world.workspace, hash), value: { json } });
    const value = { path, hash, createdAtMs: 0, createdBy: "ann", archived: false, parentHashes: [] };
    await objects.put({ ...scriptListingObject.key(world.workspace, path), value });
    const { document } = await generate({ webhook_filters: [{ runnable_kind: "script", path }] });
    expect(Object.values(document.components["schemas"] ?? {})).toEqual([inferredSchema]);
  });

  it("writes YAML unless the request asks for JSON", async () => {
    const request = openapiRequestSchema.parse(everyRoute);
    const caller = { actor: anAdmin, workspace: world.workspace };
    const text = await generateOpenapi({ objects: world.deps.objects, baseUrl: "https://svc.example" }, caller, request);
    expect(text).toMatch(/^openapi: "3\.1\.0"\ninfo:\n {2}title: /);
  });
});
