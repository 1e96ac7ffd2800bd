import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

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
