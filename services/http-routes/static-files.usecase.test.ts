import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type HttpFields, httpFieldsSchema } from "../../contract/routes/triggers/http-fields.ts";
import { fileObjectKey } from "../../core/files/file-key.ts";
import { splitRequestPath } from "../../core/http-routes/address.ts";
import type { FoundHttpRoute } from "../../core/http-routes/http-route.ts";
import type { Actor } from "../../core/people/actor.ts";
import { triggerObject } from "../../core/triggers/trigger.ts";
import { newWorld, type World } from "../../test/support/use-cases/world.ts";
import { addWorkspace, listJobs } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { setWorkspaceSetting } from "../settings/workspace.ts";
import { checkStaticFields } from "../triggers/static-fields.ts";
import { answerStatic } from "./static-files.ts";

let world: World;
beforeAll(async () => {
  world = await newWorld();
  await addWorkspace(world);
  const put = (key: string, text: string) =>
    world.deps.storage.putObject(fileObjectKey(world.workspace, key), text, "application/x-stored");
  await put("f/site/index.html", "<p>Home");
  await put("f/site/docs/index.html", "<p>Docs");
  await put("f/site/app.js", "0123456789");
  await put("f/secret/plan.txt", "secret");
  await put("f/site/large.mp4", "a".repeat(4 * 1024 * 1024 + 1));
  await put("f/site/large.svg", "a".repeat(4 * 1024 * 1024 + 1));
  await put("f/sitemap.xml", "beside the folder");
});

const SITE = { is_static_website: true, static_asset_config: { s3: "f/site" } };

function aRoute(own: object = SITE, actor: Actor | undefined = anAdmin): FoundHttpRoute {
  const fields = httpFieldsSchema.parse({ route_path: "pages", http_method: "get", ...own });
  const trigger = {
    ...{ id: randomUUID(), kind: "http" as const, path: "f/t/route", scriptPath: "f/t/none", isFlow: false, mode: "enabled" as const },
    ...{ email: "ann@example.com", permissionedAs: "u/ann", superAdmin: false, own: {}, editedBy: "ann", editedAtMs: 0 },
  };
  const stored = { ...triggerObject.key(world.workspace, "http", "f/t/route"), version: "1", value: {} };
  return {
    workspace: world.workspace,
    trigger,
    stored,
    fields: fields,
    params: {},
    below: [],
    actor,
    head: undefined,
    credential: undefined,
  };
}

async function get(path: string, headers: Record<string, string> = {}, { route = aRoute(), method = "GET" } = {}) {
  const below = (splitRequestPath(path) ?? []).slice(1);
  const payload = { method: "GET", headers, query: {}, bytes: Buffer.alloc(0) };
  const answer = await answerStatic(world.deps, { ...route, below }, { method, path, payload });
  return { ...answer, text: Buffer.from(answer.body, "base64").toString() };
}
const unknown = expect.objectContaining({ code: "httpRoute.unknown" });

describe("a static website", () => {
  it("serves files by their extension, the index of a folder, and its own index for unknown paths", async () => {
    expect(await get("pages/app.js")).toMatchObject({ statusCode: 200, text: "0123456789" });
    const { headers } = await get("pages/app.js");
    expect(headers).toMatchObject({ "content-type": "text/javascript; charset=utf-8", "x-content-type-options": "nosniff" });
    for (const path of ["pages", "pages/", "pages/unknown", "pages/unknown/"]) expect((await get(path)).text).toBe("<p>Home");
    for (const path of ["pages/docs", "pages/docs/"]) expect((await get(path)).text).toBe("<p>Docs");
    expect(await listJobs(world, "f/t/none")).toEqual([]);
  });

  it.each([
    "pages/../f/secret/plan.txt",
    "pages/%2e%2e/secret/plan.txt",
    "pages/..%2fsecret/plan.txt",
    "pages/..%5csecret",
    "pages//app.js",
    "pages/%252e%252e/secret/plan.txt",
    "pages/app.js%00",
    "pages/a\\..\\app.js",
  ])("has no file at %s", async (path) => {
    await expect(get(path)).rejects.toEqual(unknown);
  });

  it("answers a known ETag with 304, and HEAD with the headers alone", async () => {
    const { headers } = await get("pages/app.js");
    const etag = headers["etag"] as string;
    expect(etag).toMatch(/^".+"$/);
    expect(await get("pages/app.js", { "if-none-match": `"x", W/${etag}` })).toMatchObject({ statusCode: 304, body: "" });
    expect(await get("pages/app.js", { "if-none-match": '"x"' })).toMatchObject({ statusCode: 200 });
    expect(await get("pages/app.js", {}, { method: "HEAD" })).toMatchObject({ statusCode: 200, body: "", headers });
  });

  it("answers a range with its part, and one beyond the end with 416", async () => {
    const part = await get("pages/app.js", { range: "bytes=2-4" });
    expect(part).toMatchObject({ statusCode: 206, text: "234", headers: { "content-range": "bytes 2-4/10" } });
    const beyond = await get("pages/app.js", { range: "bytes=10-" });
    expect(beyond).toMatchObject({ statusCode: 416, body: "", headers: { "content-range": "bytes */10" } });
    expect(await get("pages/app.js", { range: "bytes=2-4", "if-range": '"older"' })).toMatchObject({ statusCode: 200 });
  });

  it("sends callers of a file above 4 MB to the bucket, which renders no page of it", async () => {
    const film = await get("pages/large.mp4");
    expect(film).toMatchObject({ statusCode: 302, body: "", headers: { "cache-control": "no-store" } });
    const { searchParams } = new URL(film.headers["location"] as string);
    expect(searchParams.get("response-content-type")).toBe("video/mp4");
    expect(searchParams.get("X-Amz-Expires")).toBe("300");
    const image = new URL((await get("pages/large.svg")).headers["location"] as string).searchParams;
    expect(image.get("response-content-type")).toBe("application/octet-stream");
    expect(image.get("response-content-disposition")).toMatch(/^attachment/);
  });

  it("serves only what its user may read, and answers everything else as if it did not exist", async () => {
    const route = (s3: string) => aRoute({ static_asset_config: { s3 } }, aReader(world.workspace, ["site"]));
    expect((await get("pages", {}, { route: route("f/site/app.js") })).statusCode).toBe(200);
    await expect(get("pages", {}, { route: route("f/secret/plan.txt") })).rejects.toEqual(unknown);
    await expect(get("pages", {}, { route: route("f/secret/none.txt") })).rejects.toEqual(unknown);
    const gone = { ...aRoute(), actor: undefined };
    await expect(get("pages", {}, { route: gone })).rejects.toEqual(unknown);
  });
});

it("a static file has the name that its route gives it", async () => {
  const route = aRoute({ static_asset_config: { s3: "f/site/app.js", filename: "tool.js" } });
  expect((await get("pages", {}, { route })).headers["content-disposition"]).toMatch(/^inline; filename="tool.js"/);
});

describe("the fields of a static route", () => {
  const check = (own: object, actor: Actor = anAdmin) =>
    checkStaticFields(
      world.deps.objects,
      { actor, workspace: world.workspace },
      httpFieldsSchema.parse({ route_path: "p", http_method: "get", ...own }) as HttpFields,
    );

  it.each([
    ["static_asset_config", { is_static_website: true }],
    ["http_method", { ...SITE, http_method: "post" }],
    ["static_asset_config.s3", { static_asset_config: { s3: "a/../b" } }],
    ["static_asset_config.s3", { is_static_website: true, static_asset_config: { s3: "/" } }],
  ])("are refused with the name of the field %s", async (field, own) => {
    await expect(check(own)).rejects.toMatchObject({ code: "trigger.source", details: { field } });
  });

  it("are accepted for a file and a folder of the service's own storage", async () => {
    await check(SITE);
    await check({ static_asset_config: { s3: "s3://_stack_/f/site/app.js" } });
    await check({});
  });

  const reader = aReader("any", []);
  it.each<[string, Actor]>([
    ["with a token without the scope files:read", { ...anAdmin, scopes: ["http_triggers:write", "scripts:write", "jobs:run"] }],
    ["with a token that has no scopes at all", { ...anAdmin, scopes: [] }],
    ["who may not read the folder", reader],
  ])("are refused for a caller %s, for a folder, a file and a file without a folder", async (_, actor) => {
    const caller = actor === reader ? aReader(world.workspace, []) : actor;
    const refused = { code: "trigger.source", details: { field: "static_asset_config.s3" } };
    await expect(check(SITE, caller)).rejects.toMatchObject(refused);
    await expect(check({ static_asset_config: { s3: "f/site/app.js" } }, caller)).rejects.toMatchObject(refused);
    if (actor !== reader) await expect(check({ static_asset_config: { s3: "open.txt" } }, caller)).rejects.toMatchObject(refused);
  });

  it("are accepted with the scope files:read, from a reader of the folder", async () => {
    await check(SITE, { ...anAdmin, scopes: ["http_triggers:write", "files:read"] });
    await check(SITE, aReader(world.workspace, ["site"]));
  });

  it("cannot name a bucket whose access keys the function would have to decrypt, neither on save nor later", async () => {
    const other = { type: "S3Storage" as const, s3_resource_path: "f/ops/bucket" };
    await setWorkspaceSetting(world.deps, world.workspace, "large_file_storage", { type: "stack", secondary_storage: { other } });
    const named = { static_asset_config: { s3: "f/site/app.js", storage: "other" } };
    await expect(check(named)).rejects.toMatchObject({ details: { field: "static_asset_config.storage" } });
    await expect(get("pages", {}, { route: aRoute(named) })).rejects.toEqual(unknown);
    await expect(check({ static_asset_config: { s3: "a", storage: "none" } })).rejects.toMatchObject({ code: "file.storage" });
  });
});
