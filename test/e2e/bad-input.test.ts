import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { scriptLanguages } from "../../contract/languages.ts";
import type { Answer } from "../support/api.ts";
import { shared } from "../support/api.ts";
import { rawRequest } from "../support/raw.ts";
import { expectStatus, newWorkspace, type Workspace } from "../support/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const MB = 1024 * 1024;

/** A refusal is one plain sentence with a code, whatever was wrong. */
function refused({ status, headers, text }: Answer): { status: number; code: string | null; text: string } {
  expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(text).toMatch(/^[^\n]{10,}$/);
  expect(text).not.toMatch(/^\s*</);
  return { status, code: headers.get("x-svc-error"), text };
}

interface Failure {
  name: string;
  message: string;
  stack?: string;
}
async function failureOf(path: string, args: unknown = {}): Promise<Failure> {
  const answer = expectStatus(await ws.runWait(path, args), 200);
  const { error } = (answer.json ?? {}) as { error?: Failure };
  if (!error) throw new Error(`the job did not fail but answered ${answer.text.slice(0, 300)}`);
  const job = await ws.completed(answer.headers.get("x-svc-job-id") ?? "");
  expect(job["success"]).toBe(false);
  return error;
}

describe("an unknown", () => {
  it.each([
    ["path", "POST", "jobs/run/p/f/t/nothing", "script.notFound"],
    ["path, waited for,", "POST", "jobs/run_wait_result/p/f/t/nothing", "script.notFound"],
    ["hash", "POST", "jobs/run/h/00000000000000ff", "script.versionNotFound"],
    ["hash, waited for,", "POST", "jobs/run_wait_result/h/00000000000000ff", "script.versionNotFound"],
    ["script", "GET", "scripts/get/p/f/t/nothing", "script.notFound"],
    ["version", "GET", "scripts/get/h/00000000000000ff", "script.versionNotFound"],
    ["job", "GET", `jobs_u/get/${randomUUID()}`, "job.notFound"],
    ["route", "GET", "nothing/at/all", "route.unknown"],
    ["route below a known one", "POST", "scripts/create/more", "route.unknown"],
  ])("%s is 404 in plain text with a code: %s %s", async (_what, method, route, code) => {
    expect(refused(await ws.call(method, route, method === "POST" ? { body: {} } : {}))).toMatchObject({ status: 404, code });
  });

  it("method is 405 and names those that work", async () => {
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

  it("language is 422 with the list of those that are known", async () => {
    const answer = refused(await ws.post("scripts/create", { path: "f/t/x", summary: "", language: "cobol", content: "" }));
    expect(answer).toMatchObject({ status: 422, code: "body.shape" });
    expect(answer.text).toContain("language");
    for (const language of scriptLanguages) expect(answer.text).toContain(language);
    const preview = refused(await ws.post("jobs/run/preview", { language: "cobol", content: "" }));
    expect(preview).toMatchObject({ status: 422, text: expect.stringContaining("python3") });
  });
});

describe("a body", () => {
  it.each([
    ["{", "position 1 (line 1, column 2)"],
    ['{"a": hello}', "position 6 (line 1, column 7)"],
    ['{\n  "a": 1,\n}', "position 12 (line 3, column 1)"],
    ["plain text", "position 0 (line 1, column 1)"],
    ['{"a": 1} {}', "position 9 (line 1, column 10)"],
    [`{"a": "${"x".repeat(100_000)}", "b": oops}`, "position 100015 (line 1, column 100016)"],
  ])("that is not JSON is 400 and names the position: %.20s", async (body, position) => {
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
  ])("of the wrong shape is 422 and names the path: %s %j", async (route, body, path) => {
    const answer = refused(await ws.post(route, body));
    expect(answer).toMatchObject({ status: 422, code: "body.shape" });
    expect(answer.text).toContain(`${path}: `);
  });

  it("of a run route is never refused for being no JSON object", async () => {
    await ws.saveScript({ path: "f/t/any", language: "bash", content: "echo any" });
    for (const body of ["[1]", '"text"', "1", "null", "true", "a=1&b=2", "<a/>", '{"a": }']) {
      expectStatus(await ws.call("POST", "jobs/run_wait_result/p/f/t/any", { body }), 200);
    }
  });

  it("that is empty means no arguments", async () => {
    expect((await ws.call("POST", "jobs/run_wait_result/p/f/t/any", { body: "" })).json).toBe("any");
    expect((await ws.call("POST", "jobs/run_wait_result/p/f/t/any")).json).toBe("any");
  });

  it("of 3.9 MB works, above 4 MB it is 413 with the limit", async () => {
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

describe("a parameter", () => {
  it("job_id that is used already is 400, for running, ended and waiting jobs alike", async () => {
    const id = randomUUID();
    const other = await newWorkspace();
    await other.saveScript({ path: "f/t/any", language: "bash", content: "echo other" });
    expect((await ws.runWait("f/t/any", {}, { job_id: id })).json).toBe("any");
    for (const again of [
      await ws.post("jobs/run/p/f/t/any", {}, { job_id: id }),
      await ws.post("jobs/run_wait_result/p/f/t/any", {}, { job_id: id }),
      await ws.post("jobs/run/preview", { language: "bash", content: "" }, { job_id: id }),
      // Another workspace learns that the id is taken, and nothing of the job.
      await other.post("jobs/run/p/f/t/any", {}, { job_id: id }),
    ]) {
      expect(refused(again)).toMatchObject({ status: 400, code: "job.idTaken", text: expect.stringContaining(id) });
    }
    expect((await ws.get(`jobs_u/completed/get_result/${id}`)).json).toBe("any");
  });

  it("job_id, or an id in a path, that is no uuid is 400 and named", async () => {
    expect(refused(await ws.post("jobs/run/p/f/t/any", {}, { job_id: "mine" }))).toMatchObject({
      status: 400,
      text: expect.stringContaining("job_id"),
    });
    for (const route of ["jobs_u/get/mine", "jobs_u/completed/get_result/mine", "jobs_u/getupdate/mine", "jobs_u/get_logs/%00"]) {
      expect(refused(await ws.get(route))).toMatchObject({ status: 400, text: expect.stringContaining("id: ") });
    }
  });

  it("that is no number, or out of its range, is 400 and named", async () => {
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

  it("timeout above 840 s is refused with the limit", async () => {
    const script = { path: "f/t/forever", summary: "", language: "bash", content: "", timeout: 841 };
    expect(refused(await ws.post("scripts/create", script))).toMatchObject({ status: 422, text: expect.stringMatching(/timeout.*840/) });
    expectStatus(await ws.post("scripts/create", { ...script, timeout: 840 }), 201);
    const preview = await ws.post("jobs/run/preview", { language: "bash", content: "" }, { timeout: 841 });
    expect(refused(preview)).toMatchObject({ status: 400, text: expect.stringMatching(/timeout.*840/) });
  });
});

describe("a strange address", () => {
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
    ["a prototype's name", "scripts/get/p/__proto__"],
    ["6,000 characters", `scripts/get/p/f/t/${"x".repeat(6000)}`],
    ["500 parts", `scripts/get/p/${"a/".repeat(500)}b`],
    ["words that are no hash", "scripts/get/h/constructor"],
    ["nothing after the prefix", "scripts/get/p/"],
  ])("with %s is refused in plain text with a code", async (_what, route) => {
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

  it("keeps a path's spaces and other letters when they are encoded", async () => {
    const answer = await rawRequest("GET", `/api/w/${ws.id}/scripts/exists/p/f/t/gr%C3%BC%C3%9Fe%20dich`);
    expect([answer.status, answer.text]).toEqual([200, "false"]);
    expect((await rawRequest("GET", `/api/w/${ws.id}/scripts/get/p/f/t/gr%C3%BC%C3%9Fe%20dich`)).text).toContain("f/t/grüße dich");
  });
});

describe("a script without main", () => {
  it.each([
    ["bun", "export const other = 1;", /main/],
    ["deno", "export const other = 1;", /main/],
    ["nodejs", "export const other = 1;", /main/],
    ["nativets", "export function helper() {}", /main/],
    ["python3", "def other():\n    pass\n", /main/],
    ["go", "package inner\n\nfunc other() {}\n", /main/],
  ])("in %s is a failed job that says so", async (language, content, says) => {
    await ws.saveScript({ path: `f/t/no_main_${language}`, language, content });
    expect((await failureOf(`f/t/no_main_${language}`)).message).toMatch(says);
  });
});

describe("code that cannot be read", () => {
  it.each([
    ["bun", "export function main( {"],
    ["deno", "export function main( {"],
    ["nodejs", "export function main( {"],
    ["python3", "def main(:\n"],
    ["go", "package inner\nfunc main( {\n"],
    ["bash", "if then; fi ("],
  ])("in %s is kept, and its run fails naming the line", async (language, content) => {
    await ws.saveScript({ path: `f/t/broken_${language}`, language, content });
    const answer = await ws.runWait(`f/t/broken_${language}`);
    const log = (await ws.get(`jobs_u/get_logs/${answer.headers.get("x-svc-job-id")}`)).text;
    const { error } = answer.json as { error: Failure };
    expect(JSON.stringify(error) + log).toMatch(/:1\b|:2\b|line 1\b/);
  });
});

describe("a result that cannot be JSON", () => {
  const typescript = `export function main(kind: string) {
  const cycle: Record<string, unknown> = {};
  cycle.self = { back: cycle };
  return kind === "cycle" ? { found: cycle } : { list: [1, () => 2] };
}`;
  it.each([
    ["bun", typescript, "result.found.self.back", "result.list[1]"],
    ["deno", typescript, "result.found.self.back", "result.list[1]"],
    ["nodejs", typescript, "result.found.self.back", "result.list[1]"],
    [
      "python3",
      `def main(kind: str):
    cycle = {}
    cycle["self"] = {"back": cycle}
    return {"found": cycle} if kind == "cycle" else {"list": [1, main]}
`,
      'result["found"]["self"]["back"]',
      'result["list"][1]',
    ],
  ])("fails in %s naming the value", async (language, content, cycle, fn) => {
    const path = `f/t/not_json_${language}`;
    await ws.saveScript({ path, language, content });
    expect((await failureOf(path, { kind: "cycle" })).message).toContain(`${cycle} refers back to`);
    expect((await failureOf(path, { kind: "function" })).message).toContain(`${fn} is a function`);
  });
});

describe("10 MB of output", () => {
  it.each([
    ["bun", `export function main() { for (let i = 0; i < 10_240; i++) console.log("x".repeat(1023)); return "done"; }`],
    ["python3", `def main():\n    for i in range(10240):\n        print("x" * 1023)\n    return "done"\n`],
    ["bash", `yes ${"x".repeat(63)} | head -c 10485760; echo; echo done > result.out`],
  ])("of %s is cut at 5 MB with one marker, and the job goes on to its end", async (language, content) => {
    const path = `f/t/flood_${language}`;
    await ws.saveScript({ path, language, content });
    const job = await ws.run(path);
    const { logs, ...ended } = (await ws.completed(job)) as { logs: string };
    expect(ended).toMatchObject({ success: true, result: "done" });
    expect(logs.split("[svc] The log was cut here: it reached the limit of 5 MB.")).toHaveLength(2);
    expect(logs.startsWith("xxx")).toBe(true);
    expect(logs.trimEnd().endsWith("of 5 MB.")).toBe(true);
    expect(logs.length).toBeGreaterThanOrEqual(5 * MB);
    expect(logs.length).toBeLessThan(5 * MB + 200);
    expect((await ws.get(`jobs_u/get_logs/${job}`)).text).toBe(logs);
  });
});

describe("a script that runs longer than its limit", () => {
  it.each([
    ["bun", `export async function main() { console.log("begun"); await new Promise((r) => setTimeout(r, 60_000)); }`],
    ["nodejs", `export function main() { console.log("begun"); for (;;); }`],
    ["deno", `export async function main() { console.log("begun"); await new Promise((r) => setTimeout(r, 60_000)); }`],
    ["python3", "import time\ndef main():\n    print('begun', flush=True)\n    time.sleep(60)\n"],
    ["go", `package inner\n\nimport (\n\t"fmt"\n\t"time"\n)\n\nfunc main() {\n\tfmt.Println("begun")\n\ttime.Sleep(time.Minute)\n}\n`],
    ["bash", "echo begun; sleep 60"],
  ])("in %s is stopped, says the limit and keeps its output", async (language, content) => {
    const path = `f/t/late_${language}`;
    await ws.saveScript({ path, language, content, timeout: 1 });
    const job = await ws.completed(await ws.run(path));
    expect(job).toMatchObject({ success: false, logs: "begun\n", result: { error: { message: expect.stringMatching(/limit of 1 s/) } } });
  });

  it("as a preview takes its limit from the query", async () => {
    const answer = await ws.post("jobs/run_wait_result/preview", { language: "bash", content: "sleep 60" }, { timeout: 1 });
    expect(answer.json).toMatchObject({ error: { message: expect.stringMatching(/limit of 1 s/) } });
  });
});

describe("arguments named like parts of every object", () => {
  const args = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"text","hasOwnProperty":null}';
  it.each([
    [
      "bun",
      `export function main({ ...all }: any) { return [Object.keys(all), ({} as any).polluted ?? "clean", Object.getOwnPropertyDescriptor(all, "__proto__")?.value]; }`,
    ],
    [
      "nodejs",
      `export function main({ ...all }: any) { return [Object.keys(all), ({} as any).polluted ?? "clean", Object.getOwnPropertyDescriptor(all, "__proto__")?.value]; }`,
    ],
    ["python3", `def main(**all):\n    return [list(all), "clean", all["__proto__"]]\n`],
  ])("arrive in %s as data", async (language, content) => {
    const path = `f/t/names_${language}`;
    await ws.saveScript({ path, language, content });
    const answer = await ws.call("POST", `jobs/run_wait_result/p/${path}`, { body: args });
    expect(answer.json).toEqual([["__proto__", "constructor", "toString", "hasOwnProperty"], "clean", { polluted: true }]);
    const id = answer.headers.get("x-svc-job-id");
    expect((await ws.get(`jobs_u/get_args/${id}`)).text).toBe(args);
  });

  it("of main's own are passed by name", async () => {
    await ws.saveScript({
      path: "f/t/ctor",
      language: "bun",
      content: "export const main = (constructor: unknown, toString: unknown = 'default') => [constructor, toString];",
    });
    expect((await ws.runWait("f/t/ctor", { constructor: 1 })).json).toEqual([1, "default"]);
  });

  it("in a preview's arguments and in a schema arrive as well", async () => {
    const content = `def main(**all):\n    return all\n`;
    const body = `{"language":"python3","content":${JSON.stringify(content)},"args":${args}}`;
    expect((await ws.call("POST", "jobs/run_wait_result/preview", { body })).text).toBe(args);
    const script = `{"path":"f/t/odd_schema","summary":"","language":"bash","content":"","schema":{"properties":{"__proto__":{"type":"string"}}}}`;
    expectStatus(await ws.call("POST", "scripts/create", { body: script }), 201);
    expect((await ws.get("scripts/get/p/f/t/odd_schema")).text).toContain('{"properties":{"__proto__":{"type":"string"}}}');
  });
});

describe("arguments with unusual values", () => {
  it("arrive unchanged; half a surrogate pair comes out as U+FFFD", async () => {
    const args = {
      empty: "",
      line: "a\r\nb\u2028c\u0000d",
      emoji: "👩‍👩‍👧",
      lone: "\ud800",
      zero: -0.5,
      tiny: 5e-324,
      whole: 9007199254740991,
      no: null,
      list: [[], {}, [null]],
      "": 1,
      "a.b": { "c/d": true },
    };
    for (const [language, content] of [
      ["bun", "export const main = ({ ...all }) => all;"],
      ["deno", "export const main = ({ ...all }) => all;"],
      ["nodejs", "export const main = ({ ...all }) => all;"],
      ["python3", "def main(**all):\n    return all\n"],
    ] as const) {
      await ws.saveScript({ path: `f/t/echo_${language}`, language, content });
      expect([language, (await ws.runWait(`f/t/echo_${language}`, args)).json]).toEqual([language, { ...args, lone: "\ufffd" }]);
    }
  });

  it("nested without end are refused or run, never a fault of the service", async () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    for (const route of ["jobs/run/p/f/t/any", "jobs/run_wait_result/p/f/t/any"]) {
      const answer = await ws.call("POST", route, { body: deep });
      expect(answer.status).toBeLessThan(500);
    }
  });
});

describe("results", () => {
  const typescript = `export async function main(kind: string): Promise<unknown> {
  switch (kind) {
    case "nothing": return undefined;
    case "null": return null;
    case "text": return "ä😀\\u2028\\"\\\\";
    case "empty": return "";
    case "no": return false;
    case "number": return -1.5e-7;
    case "whole": return Number.MAX_SAFE_INTEGER;
    case "big": return { big: 2n ** 64n };
    case "notANumber": return [Number.NaN, Number.POSITIVE_INFINITY];
    case "date": return new Date(0);
    case "bytes": return { bytes: new Uint8Array([1, 2, 255]) };
    case "collections": return [new Map([["a", 1]]), new Set([1, 2])];
    case "object": return { a: [{}, [], null], "__proto__x": 1, "": "" };
  }
}`;
  const common = {
    nothing: null,
    null: null,
    text: 'ä😀\u2028"\\',
    empty: "",
    no: false,
    number: -1.5e-7,
    whole: 9007199254740991,
    big: { big: "18446744073709551616" },
    notANumber: [null, null],
    bytes: { bytes: "AQL/" },
    collections: [{ a: 1 }, [1, 2]],
    object: { a: [{}, [], null], __proto__x: 1, "": "" },
  };
  const epoch = { date: "1970-01-01T00:00:00.000Z" };
  it.each([
    ["bun", typescript, { ...common, ...epoch }],
    ["deno", typescript, { ...common, ...epoch }],
    ["nodejs", typescript, { ...common, ...epoch }],
    [
      "python3",
      `import datetime, decimal, uuid
def main(kind: str):
    return {
        "nothing": lambda: None,
        "null": lambda: None,
        "text": lambda: "ä😀\\u2028\\"\\\\",
        "empty": lambda: "",
        "no": lambda: False,
        "number": lambda: -1.5e-7,
        "whole": lambda: 2**53 - 1,
        "big": lambda: {"big": 2**64},
        "notANumber": lambda: [float("nan"), float("inf")],
        "date": lambda: datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc),
        "bytes": lambda: {"bytes": bytes([1, 2, 255])},
        "collections": lambda: [{"a": 1}, {1, 2}],
        "object": lambda: {"a": ({}, (), None), "__proto__x": 1, "": ""},
        "decimal": lambda: decimal.Decimal("1.50"),
        "keys": lambda: {1: "one", True: "yes", None: "none"},
    }[kind]()
`,
      { ...common, date: "1970-01-01T00:00:00+00:00", decimal: 1.5, keys: { 1: "yes", null: "none" } },
    ],
    [
      "go",
      `package inner

import (
	"math/big"
	"time"
)

func main(kind string) (any, error) {
	switch kind {
	case "text":
		return "ä😀\\u2028\\"\\\\", nil
	case "empty":
		return "", nil
	case "no":
		return false, nil
	case "number":
		return -1.5e-7, nil
	case "whole":
		return int64(9007199254740991), nil
	case "big":
		return map[string]any{"big": new(big.Int).Lsh(big.NewInt(1), 64).String()}, nil
	case "date":
		return time.Unix(0, 0).UTC(), nil
	case "bytes":
		return map[string]any{"bytes": []byte{1, 2, 255}}, nil
	case "object":
		return map[string]any{"a": []any{map[string]any{}, []int{}, nil}, "__proto__x": 1, "": ""}, nil
	}
	return nil, nil
}
`,
      {
        nothing: null,
        text: common.text,
        empty: "",
        no: false,
        number: common.number,
        whole: common.whole,
        big: common.big,
        date: "1970-01-01T00:00:00Z",
        bytes: common.bytes,
        object: common.object,
      },
    ],
  ])("of every kind come out of %s by its written rule", async (language, content, expected) => {
    const path = `f/t/results_${language}`;
    await ws.saveScript({ path, language, content });
    const got: Record<string, unknown> = {};
    for (const kind of Object.keys(expected)) got[kind] = (await ws.runWait(path, { kind })).json;
    expect(got).toEqual(expected);
  });

  it("of bash are its last line, result.out or result.json", async () => {
    await ws.saveScript({
      path: "f/t/results_bash",
      language: "bash",
      content: `kind="$1"
case "$kind" in
  line) echo first; echo '{"a":1}' ;;
  out) echo log; printf 'from the file' > result.out ;;
  json) echo log; echo '{"a":[1,null,"ä"]}' > result.json ;;
  nothing) true ;;
esac
`,
    });
    const got = [];
    for (const kind of ["line", "out", "json", "nothing"]) got.push((await ws.runWait("f/t/results_bash", { kind })).json);
    expect(got).toEqual(['{"a":1}', "from the file", { a: [1, null, "ä"] }, null]);
  });

  it("of more than a reply holds are answered as a link to them", async () => {
    const content = "export const main = () => ['x'.repeat(6 * 1024 * 1024)];";
    await ws.saveScript({ path: "f/t/large_result", language: "bun", content });
    const answer = expectStatus(await ws.runWait("f/t/large_result"), 200);
    const { url, size } = answer.json as { s3: string; url: string; size: number };
    expect(size).toBe(6 * MB + 4);
    expect(await (await fetch(url)).text()).toHaveLength(size);
  });
});

describe("an error's stack", () => {
  const typescript = `type Wanted = { a: number };
interface Unused { b: string }

function inner(wanted: Wanted): never {
  throw new TypeError(\`boom \${wanted.a}\`);
}

export async function main(a: number) {
  await Promise.resolve();
  return inner({ a });
}
`;
  it.each([
    ["bun", typescript, [/f\/t\/stack_bun(\.ts)?:5\b/, /f\/t\/stack_bun(\.ts)?:10\b/]],
    ["deno", typescript, [/f\/t\/stack_deno(\.ts)?:5\b/, /f\/t\/stack_deno(\.ts)?:10\b/]],
    ["nodejs", typescript, [/f\/t\/stack_nodejs(\.ts)?:5\b/, /f\/t\/stack_nodejs(\.ts)?:10\b/]],
    [
      "python3",
      `import json

def inner(a):
    raise TypeError(f"boom {a}")

def main(a: int):
    return inner(a)
`,
      [/f\/t\/stack_python3\.py", line 4\b/, /f\/t\/stack_python3\.py", line 7\b/],
    ],
    [
      "go",
      `package inner

import "fmt"

func inside(a int) int {
	panic(fmt.Sprintf("boom %d", a))
}

func main(a int) int {
	return inside(a)
}
`,
      [/f\/t\/stack_go(\.go)?:6\b/, /f\/t\/stack_go(\.go)?:10\b/],
    ],
  ] as const)("in %s has the user's own lines and no machine path", async (language, content, lines) => {
    const path = `f/t/stack_${language}`;
    await ws.saveScript({ path, language, content });
    const error = await failureOf(path, { a: 7 });
    expect(error.message).toContain("boom 7");
    for (const line of lines) expect(error.stack).toMatch(line);
    expect(JSON.stringify(error)).not.toContain(shared().dir);
    expect(JSON.stringify(error)).not.toContain(process.cwd());
    expect(error.stack).not.toMatch(/(^|[\s("'])\/(?!api)[a-z]+\//m);
  });
});
