import { PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { s3 } from "../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";
import { listStoredKeys } from "../../test/support/use-cases/stored/traces.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
});
afterAll(() => service.close());

/** A script that returns a text. */
const says = (text: string) => `export const main = () => "${text}";`;
const aScript = (path: string, fields: object = {}) => ({ path, summary: "", language: "bun", content: says("hi"), ...fields });
const create = (script: object, query = {}) => ws.post("scripts/create", script, query);

describe("saving a script", () => {
  it("one of two concurrent writers wins", async () => {
    const parent_hash = expectStatus(await create(aScript("f/t/race")), 201).text;
    const answers = await Promise.all([1, 2, 3, 4].map((n) => create(aScript("f/t/race", { parent_hash, content: says(String(n)) }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    const winner = answers.find(({ status }) => status === 201)?.text;
    expect((await ws.get("scripts/get/p/f/t/race")).json).toMatchObject({ hash: winner });
    expect((await ws.get("scripts/history/p/f/t/race")).json).toMatchObject([{ script_hash: winner }, { script_hash: parent_hash }]);
  });

  it("a parent at another path renames the script", async () => {
    const parent_hash = expectStatus(await create(aScript("f/t/before")), 201).text;
    const hash = expectStatus(await create(aScript("f/t/after", { parent_hash, content: says("renamed") })), 201).text;
    expect((await ws.get("scripts/get/p/f/t/before")).status).toBe(404);
    expect((await ws.get("scripts/get/p/f/t/after")).json).toMatchObject({ hash, parent_hashes: [parent_hash] });
    expect((await ws.runWait("f/t/after")).json).toBe("renamed");
    expect((await ws.post(`jobs/run_wait_result/h/${parent_hash}`, {})).json).toBe("hi");
  });

  it("skip_if_noop creates no version if nothing changed", async () => {
    const hash = expectStatus(await create(aScript("f/t/noop")), 201).text;
    expect((await create(aScript("f/t/noop", { auto_parent: true }), { skip_if_noop: true })).text).toBe(hash);
    expect((await create(aScript("f/t/noop", { auto_parent: true, tag: "x" }), { skip_if_noop: true })).text).not.toBe(hash);
  });
});

describe("reading scripts", () => {
  it("the list contains the newest versions with paging and filters, without content", async () => {
    const own = await newWorkspace(service.api);
    for (const [n, language] of (["bash", "python3", "bun"] as const).entries()) {
      await own.saveScript({ path: `f/t/s${n}`, language, content: "", labels: [`l${n}`] }, false);
    }
    const list = async (query = {}) => ((await own.get("scripts/list", query)).json as { path: string }[]).map(({ path }) => path);
    expect(await list()).toEqual(["f/t/s2", "f/t/s1", "f/t/s0"]);
    expect(await list({ order_desc: false })).toEqual(["f/t/s0", "f/t/s1", "f/t/s2"]);
    expect(await list({ per_page: 2, page: 2 })).toEqual(["f/t/s0"]);
    expect(await list({ per_page: 2, page: 0 })).toEqual(["f/t/s2", "f/t/s1"]);
    expect(await list({ languages: "bun,bash" })).toEqual(["f/t/s2", "f/t/s0"]);
    expect(await list({ label: "l1" })).toEqual(["f/t/s1"]);
    expect(await list({ path_start: "f/t/s1" })).toEqual(["f/t/s1"]);
    await own.post("scripts/archive/p/f/t/s1");
    expect(await list()).toEqual(["f/t/s2", "f/t/s0"]);
    expect(await list({ show_archived: true })).toEqual(["f/t/s1"]);
    expect((await own.get("scripts/list_paths")).json).toEqual(["f/t/s0", "f/t/s2"]);
    expect((await own.get("scripts/list")).json).not.toContainEqual(expect.objectContaining({ content: expect.anything() }));
  });

  it("the list by parent accepts every form of the parent, and shows the deployment message", async () => {
    const own = await newWorkspace(service.api);
    const [grandparent, parent] = [
      await own.saveScript({ path: "f/t/child", language: "bun", content: says("1") }, false),
      await own.saveScript({ path: "f/t/child", language: "bun", content: says("2"), auto_parent: true }, false),
    ];
    await own.saveScript(
      { path: "f/t/child", language: "bun", content: says("3"), parent_hash: parent, deployment_message: "third" },
      false,
    );
    await own.saveScript({ path: "f/t/lonely", language: "python3", content: "x = 1", draft_only: true }, false);
    const list = async (query = {}) => (await own.get("scripts/list", query)).json as { path: string; deployment_msg?: string }[];
    const paths = async (query = {}) => (await list(query)).map(({ path }) => path);
    const child = ["f/t/child"];
    expect([await paths({ parent_hash: parent }), await paths({ parent_hash: grandparent })]).toEqual([child, child]);
    expect([await paths({ first_parent_hash: parent }), await paths({ first_parent_hash: grandparent })]).toEqual([child, []]);
    expect([await paths({ last_parent_hash: parent }), await paths({ last_parent_hash: grandparent })]).toEqual([[], child]);
    expect(await list({ path_exact: "f/t/child" })).toMatchObject([{ parent_hashes: [parent, grandparent] }]);
    expect((await list({ with_deployment_msg: true })).map(({ deployment_msg }) => deployment_msg)).toEqual([undefined, "third"]);
    expect((await list())[1]).not.toHaveProperty("deployment_msg");
    for (const query of [
      {},
      { include_without_main: false, include_draft_only: false },
      { include_without_main: true, include_draft_only: true },
    ])
      expect(await paths(query)).toEqual(["f/t/lonely", "f/t/child"]);
  });
});

describe("a path whose newest version was deleted", () => {
  const deleted = async (path: string, content = says("old")) => {
    const hash = await ws.saveScript({ path, language: "bun", content }, false);
    expect(expectStatus(await ws.post(`scripts/delete/h/${hash}`), 200).json).toMatchObject({ hash, deleted: true, content: "" });
    return hash;
  };
  const listed = async () => (await ws.get("scripts/list_paths")).json as string[];

  it("the path does not run, and its history is readable", async () => {
    const first = await ws.saveScript({ path: "f/t/freed", language: "bun", content: says("1") }, false);
    const second = await deleted("f/t/freed");
    expect((await ws.post("jobs/run/p/f/t/freed", {})).status).toBe(404);
    expect((await ws.get("scripts/get/p/f/t/freed")).status).toBe(404);
    expect((await ws.get("scripts/exists/p/f/t/freed")).json).toBe(false);
    expect(await listed()).not.toContain("f/t/freed");
    expect((await ws.get("scripts/history/p/f/t/freed")).json).toMatchObject([{ script_hash: second }, { script_hash: first }]);
  });

  it.each([
    ["without a parent", () => ({})],
    ["with auto_parent", () => ({ auto_parent: true })],
    ["on top of it", (hash: string) => ({ parent_hash: hash })],
  ])("the path accepts a new script, saved %s", async (how, parent) => {
    const path = `f/t/freed_${how.replace(/\W/g, "_")}`;
    const old = await deleted(path);
    const hash = expectStatus(await create(aScript(path, { content: says("new"), ...parent(old) })), 201).text;
    expect((await ws.runWait(path)).json).toBe("new");
    expect((await ws.get(`scripts/get/p/${path}`)).json).toMatchObject({ hash, parent_hashes: [old], archived: false, deleted: false });
    expect((await ws.get(`scripts/history/p/${path}`)).json).toMatchObject([{ script_hash: hash }, { script_hash: old }]);
    expect(await listed()).toContain(path);
  });

  it.each(["archive/p/f/t/onto_archive", "delete/h/"])("the path accepts a script that is renamed to it (%s)", async (route) => {
    const target = `f/t/onto_${route.split("/")[0]}`;
    const hash = await ws.saveScript({ path: target, language: "bun", content: says("old") }, false);
    expectStatus(await ws.post(`scripts/${route.endsWith("/") ? route + hash : route}`), 200);
    const parent_hash = expectStatus(await create(aScript(`${target}_from`)), 201).text;
    const renamed = expectStatus(await create(aScript(target, { parent_hash, content: says("renamed") })), 201).text;
    expect((await ws.get(`scripts/get/p/${target}`)).json).toMatchObject({ hash: renamed, parent_hashes: [parent_hash] });
    expect((await ws.get(`scripts/get/p/${target}_from`)).status).toBe(404);
    expect((await ws.runWait(target)).json).toBe("renamed");
  });

  it("a simultaneous save leaves one of two complete states", async () => {
    for (let n = 0; n < 8; n += 1) {
      const path = `f/t/crossed_${n}`;
      const hash = await ws.saveScript({ path, language: "bun", content: says("old") }, false);
      const [erased, saved] = await Promise.all([
        ws.post(`scripts/delete/h/${hash}`),
        create(aScript(path, { auto_parent: true, content: says("new") })),
      ]);
      expect([200, 409]).toContain(erased.status);
      expect([201, 409]).toContain(saved.status);
      const there = saved.status === 201;
      expect((await ws.get(`scripts/exists/p/${path}`)).json).toBe(there);
      expect((await listed()).includes(path)).toBe(there);
      expect((await ws.get(`scripts/get/h/${hash}`)).status).toBe(erased.status === 200 ? 404 : 200);
    }
  });
});

describe("archiving and deleting scripts", () => {
  it("archiving by path frees the path and keeps the versions", async () => {
    const hash = await ws.saveScript({ path: "f/t/old", language: "bun", content: says("old") });
    expectStatus(await ws.post("scripts/archive/p/f/t/old"), 200);
    expect((await ws.get("scripts/get/p/f/t/old")).status).toBe(404);
    expect((await ws.get("scripts/exists/p/f/t/old")).json).toBe(false);
    expect((await ws.get(`scripts/get/h/${hash}`)).json).toMatchObject({ archived: true });
    expect((await ws.post("scripts/archive/p/f/t/old")).status).toBe(404);
    expectStatus(await create(aScript("f/t/old", { content: says("new") })), 201);
    expect((await ws.runWait("f/t/old")).json).toBe("new");
  });

  it("deleting by path deletes all versions", async () => {
    const first = await ws.saveScript({ path: "f/t/gone", language: "bun", content: says("1") });
    const second = await ws.saveScript({ path: "f/t/gone", language: "bun", content: says("2") });
    expect(expectStatus(await ws.post("scripts/delete/p/f/t/gone"), 200).text).toBe("f/t/gone");
    for (const hash of [first, second]) expect((await ws.post(`jobs/run/h/${hash}`, {})).status).toBe(404);
    expect((await ws.get("scripts/history/p/f/t/gone")).status).toBe(404);
    expect((await ws.post("scripts/delete/p/f/t/gone")).status).toBe(404);
  });

  it("deleting removes the source of a large version, even after an interrupted call", async () => {
    const hash = await ws.saveScript({ path: "f/t/bulky", language: "bun", content: `${says("hi")} // ${"x".repeat(200_000)}` }, false);
    const Key = `scripts/${ws.id}/${hash}.json`;
    const left = async () => (await listStoredKeys(Key)).length;
    expect(await left()).toBe(1);
    expectStatus(await ws.post(`scripts/delete/h/${hash}`), 200);
    expect(await left()).toBe(0);
    await s3().send(new PutObjectCommand({ Bucket: requireEnv(env.bucket), Key, Body: "left behind" }));
    expect((await ws.post(`scripts/delete/h/${hash}`)).status).toBe(404);
    expect(await left()).toBe(0);
  });

  it("deleting one version removes its content", async () => {
    const hash = await ws.saveScript({ path: "f/t/erased", language: "bun", content: says("secret") });
    const second = await ws.saveScript({ path: "f/t/erased", language: "bun", content: says("2") });
    expect((await ws.post(`scripts/delete/h/${hash}`)).json).toMatchObject({ deleted: true, content: "" });
    expect((await ws.get(`scripts/get/h/${hash}`)).status).toBe(404);
    expect((await ws.post(`jobs/run_wait_result/h/${second}`, {})).json).toBe("2");
  });
});
