import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { runnableLanguages } from "../../../contract/languages.ts";
import { rawRequest } from "../../support/api/raw.ts";
import { refused } from "../../support/api/refusal.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const MB = 1024 * 1024;

describe("unknown things", () => {
  it.each([
    ["path", "POST", "jobs/run/p/f/t/nothing", "script.notFound"],
    ["path with a waiting caller", "POST", "jobs/run_wait_result/p/f/t/nothing", "script.notFound"],
    ["hash", "POST", "jobs/run/h/00000000000000ff", "script.versionNotFound"],
    ["hash with a waiting caller", "POST", "jobs/run_wait_result/h/00000000000000ff", "script.versionNotFound"],
    ["script", "GET", "scripts/get/p/f/t/nothing", "script.notFound"],
    ["version", "GET", "scripts/get/h/00000000000000ff", "script.versionNotFound"],
    ["job", "GET", `jobs_u/get/${randomUUID()}`, "job.notFound"],
    ["route", "GET", "nothing/at/all", "route.unknown"],
    ["route below a known one", "POST", "scripts/create/more", "route.unknown"],
  ])("an unknown %s returns 404 in plain text with a code: %s %s", async (_what, method, route, code) => {
    expect(refused(await ws.call(method, route, method === "POST" ? { body: {} } : {}))).toMatchObject({ status: 404, code });
  });

  it("an unknown method returns 405 and names the allowed ones", async () => {
    for (const [method, route, allow] of [
      ["DELETE", "scripts/list", "GET"],
      ["GET", "scripts/create", "POST"],
      ["PUT", "jobs/run/preview", "POST"],
      ["GET", "jobs/run/p/f/t/x", "POST"],
      ["POST", "jobs/list", "GET"],
    ] as const) {
      const answer = await ws.call(method, route);
      expect({ ...refused(answer), allow: answer.headers.get("allow") }).toMatchObject({ status: 405, code: "route.method", allow });
    }
  });

  it("an unknown language returns 422 with the list of languages that run", async () => {
    const answer = refused(await ws.post("scripts/create", { path: "f/t/x", summary: "", language: "cobol", content: "" }));
    expect(answer).toMatchObject({ status: 422, code: "body.shape" });
    expect(answer.text).toContain("language");
    for (const language of runnableLanguages) expect(answer.text).toContain(language);
    const preview = refused(await ws.post("jobs/run/preview", { language: "cobol", content: "" }));
    expect(preview).toMatchObject({ status: 422, text: expect.stringContaining("python3") });
  });
});

describe("request bodies", () => {
  it.each([
    ["{", "position 1 (line 1, column 2)"],
    ['{"a": hello}', "position 6 (line 1, column 7)"],
    ['{\n  "a": 1,\n}', "position 12 (line 3, column 1)"],
    ["plain text", "position 0 (line 1, column 1)"],
    ['{"a": 1} {}', "position 9 (line 1, column 10)"],
    [`{"a": "${"x".repeat(100_000)}", "b": oops}`, "position 100015 (line 1, column 100016)"],
  ])("a body that is not JSON returns 400 and names the position: %.20s", async (body, position) => {
    for (const route of ["scripts/create", "jobs/run/preview", "folders/create"]) {
      const answer = refused(await ws.call("POST", route, { body }));
      expect(answer).toMatchObject({ status: 400, code: "body.notJson" });
      expect(answer.text).toContain(position);
    }
  });

  it.each([
    ["scripts/create", { summary: "", language: "bash", content: "" }, "path"],
    ["scripts/create", { path: 7, summary: "", language: "bash", content: "" }, "path"],
    ["scripts/create", { path: "f/t/x", summary: "", language: "bash", content: "", envs: ["A=1", 2] }, "envs.1"],
    ["scripts/create", { path: "f/t/x", summary: "", language: "bash", content: "", parent_hash: "xyz" }, "parent_hash"],
    ["scripts/create", [], "(the whole value)"],
    ["folders/create", { name: "a b" }, "name"],
    ["jobs/run/preview", { language: "bash" }, "content"],
    ["jobs/run/preview", { language: "bash", content: "", args: [1] }, "args"],
  ])("a body of the wrong shape returns 422 and names the path: %s %j", async (route, body, path) => {
    const answer = refused(await ws.post(route, body));
    expect(answer).toMatchObject({ status: 422, code: "body.shape" });
    expect(answer.text).toContain(`${path}: `);
  });

  it("a run route accepts bodies that are not JSON objects", async () => {
    await ws.saveScript({ path: "f/t/any", language: "bash", content: "echo any" });
    for (const body of ["[1]", '"text"', "1", "null", "true", "a=1&b=2", "<a/>", '{"a": }']) {
      expectStatus(await ws.call("POST", "jobs/run_wait_result/p/f/t/any", { body }), 200);
    }
  });

  it("an empty body means no arguments", async () => {
    expect((await ws.call("POST", "jobs/run_wait_result/p/f/t/any", { body: "" })).json).toBe("any");
    expect((await ws.call("POST", "jobs/run_wait_result/p/f/t/any")).json).toBe("any");
  });

  it("a body of 3.9 MB is accepted, and one above 4 MB returns 413 with the limit", async () => {
    await ws.saveScript({ path: "f/t/length", language: "bun", content: "export const main = (text: string) => text.length;" });
    const fits = { text: "x".repeat(3.9 * MB) };
    expect((await ws.runWait("f/t/length", fits)).json).toBe(fits.text.length);
    expect(await ws.completed(await ws.run("f/t/length", fits))).toMatchObject({ result: fits.text.length });
    const tooMuch = { text: "x".repeat(4.1 * MB) };
    for (const route of ["jobs/run/p/f/t/length", "jobs/run_wait_result/p/f/t/length", "scripts/create"]) {
      expect(refused(await ws.post(route, tooMuch))).toMatchObject({ status: 413, text: expect.stringContaining("4 MB") });
    }
  });
});

describe("parameters", () => {
  it("a job_id that is already used returns 400, for running, completed and queued jobs alike", async () => {
    const id = randomUUID();
    const other = await newWorkspace();
    await other.saveScript({ path: "f/t/any", language: "bash", content: "echo other" });
    expect((await ws.runWait("f/t/any", {}, { job_id: id })).json).toBe("any");
    for (const again of [
      await ws.post("jobs/run/p/f/t/any", {}, { job_id: id }),
      await ws.post("jobs/run_wait_result/p/f/t/any", {}, { job_id: id }),
      await ws.post("jobs/run/preview", { language: "bash", content: "" }, { job_id: id }),
      // The error in another workspace reveals that the id is used, and nothing about the job.
      await other.post("jobs/run/p/f/t/any", {}, { job_id: id }),
    ]) {
      expect(refused(again)).toMatchObject({ status: 400, code: "job.idTaken", text: expect.stringContaining(id) });
    }
    expect((await ws.get(`jobs_u/completed/get_result/${id}`)).json).toBe("any");
  });

  it("a job_id, or an id in a path, that is not a UUID returns 400 and is named", async () => {
    expect(refused(await ws.post("jobs/run/p/f/t/any", {}, { job_id: "mine" }))).toMatchObject({
      status: 400,
      text: expect.stringContaining("job_id"),
    });
    for (const route of ["jobs_u/get/mine", "jobs_u/completed/get_result/mine", "jobs_u/getupdate/mine", "jobs_u/get_logs/%00"]) {
      expect(refused(await ws.get(route))).toMatchObject({ status: 400, text: expect.stringContaining("id: ") });
    }
  });

  it("a parameter that is not a number, or out of range, returns 400 and is named", async () => {
    for (const [name, value] of [
      ["scheduled_in_secs", "soon"],
      ["scheduled_in_secs", "-1"],
      ["parent_job", "7"],
    ] as const) {
      expect(refused(await ws.post("jobs/run/p/f/t/any", {}, { [name]: value }))).toMatchObject({
        status: 400,
        code: "query.invalid",
        text: expect.stringContaining(`${name}: `),
      });
    }
    expect(refused(await ws.get("jobs/list", { per_page: "many" }))).toMatchObject({
      status: 400,
      text: expect.stringContaining("per_page"),
    });
    expect(refused(await ws.get("jobs/list", { created_after: "yesterday" }))).toMatchObject({ status: 400 });
  });

  it("a timeout above 840 s is rejected with the limit", async () => {
    const script = { path: "f/t/forever", summary: "", language: "bash", content: "", timeout: 841 };
    expect(refused(await ws.post("scripts/create", script))).toMatchObject({ status: 422, text: expect.stringMatching(/timeout.*840/) });
    expectStatus(await ws.post("scripts/create", { ...script, timeout: 840 }), 201);
    const preview = await ws.post("jobs/run/preview", { language: "bash", content: "" }, { timeout: 841 });
    expect(refused(preview)).toMatchObject({ status: 400, text: expect.stringMatching(/timeout.*840/) });
  });
});

describe("unusual URLs", () => {
  it.each([
    ["broken percent-encoding", "scripts/get/p/f/t/%zz"],
    ["a lone percent sign", "scripts/get/p/f/t/%"],
    ["broken UTF-8", "scripts/get/p/f/t/%ff%fe"],
    ["a NUL", "scripts/get/p/f/t/a%00b"],
    ["dots that lead out", "scripts/get/p/../../../../etc/passwd"],
    ["encoded dots and slashes", "scripts/get/p/..%2f..%2f..%2fetc%2fpasswd"],
    ["a backslash", "scripts/get/p/f%5ct%5cx"],
    ["markup", "scripts/get/p/%3Cscript%3Ealert(1)%3C/script%3E"],
    ["double slashes", "scripts//get//p//f//t"],
    ["the name of a prototype", "scripts/get/p/__proto__"],
    ["6,000 characters", `scripts/get/p/f/t/${"x".repeat(6000)}`],
    ["500 parts", `scripts/get/p/${"a/".repeat(500)}b`],
    ["words instead of a hash", "scripts/get/h/constructor"],
    ["nothing after the prefix", "scripts/get/p/"],
  ])("a URL with %s is rejected in plain text with a code", async (_what, route) => {
    for (const [method, path] of [
      ["GET", `/api/w/${ws.id}/${route}`],
      ["POST", `/api/w/${ws.id}/${route.replace("scripts/get", "jobs/run_wait_result")}`],
    ] as const) {
      const { status, headers, text } = await rawRequest(method, path);
      expect([400, 404, 405, 414]).toContain(status);
      expect(headers["content-type"]).toMatch(/^text\/plain/);
      expect(headers["x-svc-error"]).toMatch(/^[a-z]+\.[A-Za-z]+$/);
      expect(text).not.toContain("root:");
    }
  });

  it("a path keeps its spaces and non-ASCII letters when they are encoded", async () => {
    const answer = await rawRequest("GET", `/api/w/${ws.id}/scripts/exists/p/f/t/gr%C3%BC%C3%9Fe%20dich`);
    expect([answer.status, answer.text]).toEqual([200, "false"]);
    expect((await rawRequest("GET", `/api/w/${ws.id}/scripts/get/p/f/t/gr%C3%BC%C3%9Fe%20dich`)).text).toContain("f/t/grüße dich");
  });

  it("a path is decoded once", async () => {
    expect((await rawRequest("GET", `/api/w/${ws.id}/scripts/get/p/f%2Ft/100%2525+1`)).text).toContain("f/t/100%25+1");
  });
});

describe("boundary values", () => {
  it("a reversed time range, or a time before 1970, returns an empty list", async () => {
    for (const [route, query] of [
      ["jobs/list", { created_before: "0020-02-29T00:00:00Z" }],
      ["jobs/list", { created_after: "2030-01-01T00:00:00Z", created_before: "2020-01-01T00:00:00Z" }],
      ["audit/list", { after: "2030-01-01T00:00:00Z", before: "2020-01-01T00:00:00Z" }],
      ["audit/list", { before: "0020-02-29T00:00:00Z" }],
    ] as const) {
      expect([route, (await ws.get(route, query)).json]).toEqual([route, []]);
    }
    expect((await ws.get("jobs/completed/count_jobs", { completed_after_s_ago: Number.MAX_SAFE_INTEGER })).status).toBe(200);
    expect((await ws.get("audit/list", { after: "0020-02-29T00:00:00Z", per_page: 1 })).json).toHaveLength(1);
  });

  it("a job that a request names twice counts once", async () => {
    const id = await ws.run("f/t/any", {}, { scheduled_in_secs: 1000 });
    expect((await ws.post("jobs_u/queue/get_started_at_by_ids", [id, id])).json).toEqual([null, null]);
    expect((await ws.post("jobs/queue/cancel_selection", [id, id])).json).toEqual([id]);
  });

  it("an empty value where a name is required returns 422", async () => {
    for (const [route, body, field] of [
      ["groups/adduser/all", { username: "" }, "username"],
      ["workspaces/delete_invite", { email: "" }, "email"],
    ] as const) {
      expect(refused(await ws.post(route, body))).toMatchObject({ status: 422, text: expect.stringContaining(`${field}: `) });
    }
    expect(refused(await ws.api.post("workspaces/exists", { id: "" }))).toMatchObject({
      status: 422,
      text: expect.stringContaining("id: "),
    });
  });

  it("a value that the database or a header cannot hold is rejected, unless only lists contain the field", async () => {
    const script = { path: "f/t/numbers", summary: "", language: "bash", content: "" };
    for (const cache_ttl of [1e300, 0.5, -3e9]) {
      expect(refused(await ws.post("scripts/create", { ...script, cache_ttl }))).toMatchObject({
        status: 422,
        text: expect.stringContaining("cache_ttl"),
      });
    }
    expectStatus(await ws.post("scripts/create", { ...script, assets: [{ size: 1e300, tiny: 5e-324 }] }), 201);
    for (const name of ["content_type", "content_disposition"]) {
      const answer = await ws.call("POST", "job_helpers/upload_s3_file", { body: "x", query: { file_key: "a", [name]: "é\u0007" } });
      expect(refused(answer)).toMatchObject({ status: 400, code: "query.invalid", text: expect.stringContaining(name) });
    }
    const long = await ws.call("POST", "job_helpers/upload_s3_file", { body: "x", query: { file_key: "é".repeat(500) } });
    expect(refused(long)).toMatchObject({ status: 400, code: "file.key" });
  });

  it("a path that contains a line break is looked up like any other path", async () => {
    for (const end of ["%0A", "%0D", "%E2%80%A8"]) {
      const answer = await rawRequest("GET", `/api/w/${ws.id}/variables/get/f/t/a${end}b`);
      expect([answer.status, answer.headers["x-svc-error"]]).toEqual([404, "variable.notFound"]);
    }
  });
});
