import { ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients } from "../../support/engine/aws.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const aScript = (path: string, fields: object = {}) => ({ path, summary: "", language: "bash", content: "echo hi", ...fields });
const create = (script: object, query = {}) => ws.post("scripts/create", script, query);

describe("saving a script", () => {
  it("a save returns 201 with 16 hex digits, and every field is returned as it was sent", async () => {
    const sent = aScript("f/t/fields", {
      summary: "Says hi",
      description: "Longer",
      tag: "special",
      timeout: 30,
      schema: { order: ["b", "a"], properties: { b: { type: "string", default: "x" }, a: {} }, required: [], type: "object" },
      labels: ["one", "two"],
      envs: ["A=1"],
      ws_error_handler_muted: true,
      kind: "script",
    });
    const answer = await create(sent);
    expect(answer.status).toBe(201);
    expect(answer.text).toMatch(/^[0-9a-f]{16}$/);
    expect((await ws.get("scripts/get/p/f/t/fields")).json).toMatchObject({
      ...sent,
      hash: answer.text,
      archived: false,
      created_by: "admin",
    });
    expect((await ws.get(`scripts/get/h/${answer.text}`)).json).toMatchObject(sent);
    expect((await ws.get("scripts/raw/p/f/t/fields.sh")).text).toBe(sent.content);
    expect((await ws.get(`scripts/raw/h/${answer.text}.sh`)).text).toBe(sent.content);
    expect((await ws.get("scripts/exists/p/f/t/fields")).json).toBe(true);
    expect((await ws.get("scripts/exists/p/f/t/nothing")).json).toBe(false);
  });

  it("a save to an existing path without parent_hash or auto_parent returns 400", async () => {
    const first = expectStatus(await create(aScript("f/t/taken")), 201).text;
    const again = await create(aScript("f/t/taken"));
    expect([again.status, again.headers.get("x-svc-error")]).toEqual([400, "script.pathTaken"]);
    expect((await create(aScript("f/t/taken", { parent_hash: first }))).status).toBe(201);
    expect((await create(aScript("f/t/taken", { auto_parent: true }))).status).toBe(201);
    const stale = await create(aScript("f/t/taken", { parent_hash: first }));
    expect([stale.status, stale.headers.get("x-svc-error")]).toEqual([400, "script.parentHasChild"]);
    const unknown = await create(aScript("f/t/taken", { parent_hash: "0000000000000000" }));
    expect([unknown.status, unknown.headers.get("x-svc-error")]).toEqual([400, "script.parentUnknown"]);
  });

  it("one of two concurrent writers wins", async () => {
    const parent_hash = expectStatus(await create(aScript("f/t/race")), 201).text;
    const answers = await Promise.all([1, 2, 3, 4].map((n) => create(aScript("f/t/race", { parent_hash, content: `echo ${n}` }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
    const winner = answers.find(({ status }) => status === 201)?.text;
    expect((await ws.get("scripts/get/p/f/t/race")).json).toMatchObject({ hash: winner });
    expect((await ws.get("scripts/history/p/f/t/race")).json).toMatchObject([{ script_hash: winner }, { script_hash: parent_hash }]);
  });

  it("a parent at another path renames the script", async () => {
    const parent_hash = expectStatus(await create(aScript("f/t/before")), 201).text;
    const hash = expectStatus(await create(aScript("f/t/after", { parent_hash, content: "echo renamed" })), 201).text;
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

  it("the hash excludes a lock that is resolved later", async () => {
    const hash = await ws.saveScript({
      path: "f/t/locked",
      language: "bun",
      content: 'import p from "left-pad"; export const main = () => p("a", 3)',
    });
    const { lock, hash: same } = (await ws.get("scripts/get/p/f/t/locked")).json as { lock: string; hash: string };
    expect(same).toBe(hash);
    expect(lock).toContain("left-pad");
  });

  it("a language without a runner can be saved, and its runs fail with an error that names it", async () => {
    expectStatus(await create(aScript("f/t/rust", { language: "rust", content: "fn main() {}" })), 201);
    const { json } = await ws.runWait("f/t/rust");
    expect(json).toMatchObject({ error: { name: "NoRunner", message: expect.stringContaining("rust") } });
  });

  it("a script of nearly a megabyte is saved, and a larger one is rejected with the limit", async () => {
    const content = `echo hi #${"x".repeat(1024 * 1024 - 20)}`;
    expectStatus(await create(aScript("f/t/large", { content })), 201);
    expect((await ws.get("scripts/raw/p/f/t/large")).text).toHaveLength(content.length);
    expect((await ws.runWait("f/t/large")).json).toBe("hi");
    const refused = await create(aScript("f/t/larger", { content: `${content}${"x".repeat(40)}` }));
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining("1 MB")]);
  });
});

describe("reading scripts", () => {
  it("the list contains the newest versions with paging and filters, without content", async () => {
    const own = await newWorkspace();
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
    const own = await newWorkspace();
    const [grandparent, parent] = [
      await own.saveScript({ path: "f/t/child", language: "bash", content: "echo 1" }, false),
      await own.saveScript({ path: "f/t/child", language: "bash", content: "echo 2", auto_parent: true }, false),
    ];
    await own.saveScript(
      { path: "f/t/child", language: "bash", content: "echo 3", parent_hash: parent, deployment_message: "third" },
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

  it("the reply names every URL form with a curl command", async () => {
    const hash = await ws.saveScript({ path: "f/t/hooks", language: "bash", content: "echo hi" }, false);
    const forms = (await ws.get("scripts/webhooks/p/f/t/hooks")).json as { url: string; curl: string }[];
    const root = `${ws.api.url}/api/w/${ws.id}/jobs`;
    expect(forms.map(({ url }) => url)).toEqual([
      ...["p/f/t/hooks", `h/${hash}`].flatMap((target) => [
        `${root}/run/${target}`,
        `${root}/run_wait_result/${target}`,
        `${root}/run_wait_result/${target}`,
        `${root}/run_and_stream/${target}`,
        `${root}/run_and_stream/${target}`,
      ]),
    ]);
    expect(forms.every(({ curl, url }) => curl.startsWith("curl ") && curl.includes(url))).toBe(true);
  });
});

describe("a path whose newest version was deleted", () => {
  const deleted = async (path: string, content = "echo old") => {
    const hash = await ws.saveScript({ path, language: "bash", content }, false);
    expect(expectStatus(await ws.post(`scripts/delete/h/${hash}`), 200).json).toMatchObject({ hash, deleted: true, content: "" });
    return hash;
  };
  const listed = async () => (await ws.get("scripts/list_paths")).json as string[];

  it("the path does not run, and its history is readable", async () => {
    const first = await ws.saveScript({ path: "f/t/freed", language: "bash", content: "echo 1" }, false);
    const second = await deleted("f/t/freed");
    expect((await ws.post("jobs/run/p/f/t/freed", {})).status).toBe(404);
    expect((await ws.get("scripts/get/p/f/t/freed")).status).toBe(404);
    expect((await ws.get("scripts/exists/p/f/t/freed")).json).toBe(false);
    expect(await listed()).not.toContain("f/t/freed");
    expect((await ws.get("scripts/history/p/f/t/freed")).json).toMatchObject([{ script_hash: second }, { script_hash: first }]);
  });

  it.each([
    ["anew", () => ({})],
    ["with auto_parent", () => ({ auto_parent: true })],
    ["on top of it", (hash: string) => ({ parent_hash: hash })],
  ])("the path accepts a new script, saved %s", async (how, parent) => {
    const path = `f/t/freed_${how.replace(/\W/g, "_")}`;
    const old = await deleted(path);
    const hash = expectStatus(await create(aScript(path, { content: "echo new", ...parent(old) })), 201).text;
    expect((await ws.runWait(path)).json).toBe("new");
    expect((await ws.get(`scripts/get/p/${path}`)).json).toMatchObject({ hash, parent_hashes: [old], archived: false, deleted: false });
    expect((await ws.get(`scripts/history/p/${path}`)).json).toMatchObject([{ script_hash: hash }, { script_hash: old }]);
    expect(await listed()).toContain(path);
  });

  it.each(["archive/p/f/t/onto_archive", "delete/h/"])("the path accepts a script that is renamed to it (%s)", async (route) => {
    const target = `f/t/onto_${route.split("/")[0]}`;
    const hash = await ws.saveScript({ path: target, language: "bash", content: "echo old" }, false);
    expectStatus(await ws.post(`scripts/${route.endsWith("/") ? route + hash : route}`), 200);
    const parent_hash = expectStatus(await create(aScript(`${target}_from`)), 201).text;
    const renamed = expectStatus(await create(aScript(target, { parent_hash, content: "echo renamed" })), 201).text;
    expect((await ws.get(`scripts/get/p/${target}`)).json).toMatchObject({ hash: renamed, parent_hashes: [parent_hash] });
    expect((await ws.get(`scripts/get/p/${target}_from`)).status).toBe(404);
    expect((await ws.runWait(target)).json).toBe("renamed");
  });

  it("a simultaneous save leaves one of two complete states", async () => {
    for (let n = 0; n < 8; n += 1) {
      const path = `f/t/crossed_${n}`;
      const hash = await ws.saveScript({ path, language: "bash", content: "echo old" }, false);
      const [erased, saved] = await Promise.all([
        ws.post(`scripts/delete/h/${hash}`),
        create(aScript(path, { auto_parent: true, content: "echo new" })),
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
    const hash = await ws.saveScript({ path: "f/t/old", language: "bash", content: "echo old" });
    expectStatus(await ws.post("scripts/archive/p/f/t/old"), 200);
    expect((await ws.get("scripts/get/p/f/t/old")).status).toBe(404);
    expect((await ws.get("scripts/exists/p/f/t/old")).json).toBe(false);
    expect((await ws.get(`scripts/get/h/${hash}`)).json).toMatchObject({ archived: true });
    expect((await ws.post("scripts/archive/p/f/t/old")).status).toBe(404);
    expectStatus(await create(aScript("f/t/old", { content: "echo new" })), 201);
    expect((await ws.runWait("f/t/old")).json).toBe("new");
  });

  it("deleting by path deletes all versions", async () => {
    const first = await ws.saveScript({ path: "f/t/gone", language: "bash", content: "echo 1" });
    const second = await ws.saveScript({ path: "f/t/gone", language: "bash", content: "echo 2" });
    expect(expectStatus(await ws.post("scripts/delete/p/f/t/gone"), 200).text).toBe("f/t/gone");
    for (const hash of [first, second]) expect((await ws.post(`jobs/run/h/${hash}`, {})).status).toBe(404);
    expect((await ws.get("scripts/history/p/f/t/gone")).status).toBe(404);
    expect((await ws.post("scripts/delete/p/f/t/gone")).status).toBe(404);
  });

  it("deleting removes the source of a large version, even after an interrupted call", async () => {
    const { s3 } = awsClients();
    const hash = await ws.saveScript({ path: "f/t/bulky", language: "bash", content: `echo hi #${"x".repeat(200_000)}` }, false);
    const Bucket = shared().outputs["Bucket"];
    const Key = `scripts/${ws.id}/${hash}.json`;
    const left = async () => (await s3.send(new ListObjectsV2Command({ Bucket, Prefix: Key }))).KeyCount;
    expect(await left()).toBe(1);
    expectStatus(await ws.post(`scripts/delete/h/${hash}`), 200);
    expect(await left()).toBe(0);
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: "left behind" }));
    expect((await ws.post(`scripts/delete/h/${hash}`)).status).toBe(404);
    expect(await left()).toBe(0);
  });

  it("deleting one version removes its content", async () => {
    const hash = await ws.saveScript({ path: "f/t/erased", language: "bash", content: "echo secret" });
    const second = await ws.saveScript({ path: "f/t/erased", language: "bash", content: "echo 2" });
    expect((await ws.post(`scripts/delete/h/${hash}`)).json).toMatchObject({ deleted: true, content: "" });
    expect((await ws.get(`scripts/get/h/${hash}`)).status).toBe(404);
    expect((await ws.post(`jobs/run_wait_result/h/${second}`, {})).json).toBe("2");
  });
});
