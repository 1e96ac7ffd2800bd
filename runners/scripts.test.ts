import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOfJobs, isAlive, type Runner, startRunner, until } from "./conformance/harness.ts";

/** What holds in every TypeScript language alike. */
describe.each(["bun", "nodejs", "deno"] as const)("a %s script", (language) => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner(language);
  });
  afterAll(() => runner.close());

  const result = async (code: string, args: Record<string, unknown> = {}, more = {}) => {
    const outcome = await runner.run({ code, args, ...more });
    expect(outcome.error).toBeUndefined();
    return outcome.result;
  };
  const error = async (code: string, more = {}) => {
    const outcome = await runner.run({ code, ...more });
    expect(outcome.outcome).toBe("failure");
    return outcome.error;
  };

  describe("arguments", () => {
    it("come by name, in the order of the declared parameters", async () => {
      const code = "export function main(b, a) { return [b, a]; }";
      expect(await result(code, { a: 1, b: "two" }, { params: ["b", "a"] })).toEqual(["two", 1]);
    });

    it("keep the default of an absent parameter, and a null", async () => {
      const code = "export async function main(a = 5, b = 6) { return [a, b]; }";
      expect(await result(code, { b: null, unknown: 1 }, { params: ["a", "b"] })).toEqual([5, null]);
    });

    it.each([
      ["export function main(a, b) { return [a, b]; }", [1, 2]],
      ["export const main = async (a /* , x */, b = { c: [1, 2] }, c = ')') => [a, b, c];", [1, 2, ")"]],
      ["export const main = b => b;", 2],
      ["export async function main({ a, b }) { return a + b; }", 3],
      ["export function main(first, ...a) { return [first ?? null, a]; }", [null, []]],
      ["export function main() { return arguments.length; }", 0],
    ])("are found in the function's own text when the names are not known: %s", async (code, expected) => {
      expect(await result(code, { a: 1, b: 2 })).toEqual(expected);
    });

    it("become dates and bytes where the script's types say so", async () => {
      const code = "export function main(d, b, n) { return [d instanceof Date, d.toISOString(), b instanceof Uint8Array, b[0], n]; }";
      const request = { params: ["d", "b", "n"], paramTypes: { d: "date", b: "bytes", n: "date" } };
      expect(await result(code, { d: "2026-01-02T03:04:05Z", b: "AQI=", n: null }, request)).toEqual([
        true,
        "2026-01-02T03:04:05.000Z",
        true,
        1,
        null,
      ]);
    });

    it("call another entrypoint by its name", async () => {
      expect(await result("export function preprocessor(a) { return a; }", { a: 7 }, { entrypoint: "preprocessor" })).toBe(7);
    });

    it("name a function that is missing, and what there is", async () => {
      expect(await error("export const x = 1; export function other() {}")).toEqual({
        name: "EntrypointError",
        message: "The script does not export a function 'main'. It exports: other, x.",
      });
    });
  });

  describe("a preprocessor", () => {
    const event = { kind: "webhook", raw_string: '{"n":1}', query: { a: "b" }, headers: { "x-event": "push" } };
    const preprocessor = { params: null };

    it("runs first; what it returns is what main gets, and is told beside the result", async () => {
      const code = `export async function preprocessor(event, extra) { console.log("first"); return { n: event.body.n + 1, extra, at: new Date(0), query: event.query }; }
        export function main(n, at, query, extra) { console.log("second"); return [n, at, query, extra]; }`;
      const outcome = await runner.run({ code, args: { event, extra: "x" }, preprocessor, params: ["n", "at", "query", "extra"] });
      const at = "1970-01-01T00:00:00.000Z";
      expect(outcome).toMatchObject({ outcome: "success", result: [2, at, { a: "b" }, "x"] });
      expect(outcome.preprocessed).toEqual({ n: 2, extra: "x", at, query: { a: "b" } });
      expect(outcome.logs.text).toBe("first\nsecond\n");
    });

    it.each([
      ["'text'", { value: "text" }],
      ["[1]", { value: [1] }],
      ["undefined", { value: null }],
    ])("that returns %s, no object, gives main a value", async (value, expected) => {
      const code = `export const preprocessor = () => ${value}; export function main(value) { return { value }; }`;
      expect(await result(code, { event }, { preprocessor, params: ["value"] })).toEqual(expected);
    });

    it.each([
      ["not json", "not json"],
      ["[1,2]", [1, 2]],
    ])("reads the body %s from the text, where it did not come apart", async (raw_string, body) => {
      const code = "export const preprocessor = (event) => ({ event }); export const main = (event) => event;";
      const sent = { kind: "webhook", raw_string, query: {}, headers: {} };
      expect(await result(code, { event: sent }, { preprocessor })).toEqual({ ...sent, body });
      expect(await result(code, { event: { ...sent, body: "own" } }, { preprocessor })).toEqual({ ...sent, body: "own" });
    });

    it("that throws fails the run with its error, may shape the reply, and main does not run", async () => {
      const code = `export function preprocessor() { throw Object.assign(new TypeError("bad signature"), { svc_status_code: 401 }); }
        export function main() { console.log("ran"); }`;
      const outcome = await runner.run({ code, args: { event }, preprocessor });
      const error = { name: "TypeError", message: "The preprocessor failed: bad signature", reply: { svc_status_code: 401 } };
      expect(outcome).toMatchObject({ outcome: "failure", error, logs: { text: "" } });
      expect(outcome.preprocessed).toBeUndefined();
    });

    it("that is missing, or returns no JSON or too much, is named", async () => {
      const failed = async (code: string, more = {}) => (await error(code, { args: { event }, preprocessor, ...more }))?.message;
      expect(await failed("export function main() {}")).toContain("The preprocessor failed: The script does not export");
      expect(await failed("export const preprocessor = () => ({ f() {} }); export const main = () => 1;")).toContain("cannot be JSON");
      const large = "export const preprocessor = () => 'x'.repeat(3000); export const main = () => 1;";
      expect(await failed(large, { maxInlineResultBytes: 2000 })).toContain("the limit is 2000");
    });

    it("has made its arguments also where main does not end", async () => {
      const code =
        "export const preprocessor = () => ({ a: 1 }); export const main = () => new Promise((done) => setTimeout(done, 60_000));";
      expect(await runner.run({ code, args: { event }, preprocessor, timeoutMs: 500 })).toMatchObject({
        outcome: "timeout",
        preprocessed: { a: 1 },
      });
    });

    it("has made its arguments also where main fails", async () => {
      const code = "export const preprocessor = () => ({ a: 1 }); export function main() { throw new Error('later'); }";
      expect(await runner.run({ code, args: { event }, preprocessor })).toMatchObject({
        outcome: "failure",
        preprocessed: { a: 1 },
        error: { message: "later" },
      });
    });
  });

  describe("results", () => {
    it.each([
      ["undefined", null],
      ["null", null],
      ["'text \u{1f600}'", "text \u{1f600}"],
      ["9007199254740991", 9007199254740991],
      ["2n ** 64n", "18446744073709551616"],
      ["new Date(0)", "1970-01-01T00:00:00.000Z"],
      ["new Date(NaN)", null],
      ["new Uint8Array([1, 2, 3])", "AQID"],
      ["new Uint8Array([1, 2, 3]).buffer", "AQID"],
      ["new Float32Array([1, 2])", [1, 2]],
      ["({ a: undefined, b: [undefined, NaN, Infinity], c: 1n })", { b: [null, null, null], c: "1" }],
      ["new Map([['a', new Set([1, 2n])], [2, null]])", { a: [1, "2"], 2: null }],
      [
        "({ e: new RangeError('far'), r: /x/g, u: new URL('https://a.example/') })",
        { e: { name: "RangeError", message: "far" }, r: "/x/g", u: "https://a.example/" },
      ],
      ["(() => { const a = { x: 1 }; return [a, a]; })()", [{ x: 1 }, { x: 1 }]],
      ['JSON.parse(\'{"__proto__": {"a": 1}}\')', JSON.parse('{"__proto__": {"a": 1}}')],
      ["Promise.resolve(Promise.resolve(4))", 4],
    ])("%s", async (expression, expected) => {
      expect(await result(`export function main() { return ${expression}; }`)).toEqual(expected);
    });

    it.each([
      ["const a = { self: null }; a.self = a; return { a };", "result.a.self refers back to result.a"],
      ["return { list: [1, { 'the key': () => 1 }] };", 'result.list[1]["the key"] is a function'],
      ["return Symbol('x');", "result is a symbol"],
      ["return { p: Promise.resolve(1) };", "result.p is a promise that was not awaited"],
      ["return new Map([[{}, 1]]);", "result is a Map with a key that is not text (object)"],
    ])("name what cannot be JSON: %s", async (body, what) => {
      expect(await error(`export function main() { ${body} }`)).toEqual({
        name: "ResultError",
        message: `The result cannot be JSON: ${what}`,
      });
    });

    it("cannot be forged by printing", async () => {
      const forged = '{"ok":true,"result":"forged"}';
      const outcome = await runner.run({
        code: `export function main() { console.log('${forged}'); console.log('{"idle":true}'); return "real"; }`,
      });
      expect(outcome.result).toBe("real");
      expect(outcome.logs.text).toBe(`${forged}\n{"idle":true}\n`);
    });

    it("that are iterators are printed as a stream, and its text is the result", async () => {
      const outcome = await runner.run({ code: "export async function* main() { yield 'a\\nb'; yield { c: 1n }; }" });
      const logs = { text: 'WM_STREAM: a\\nb\nWM_STREAM: {"c":"1"}\n' };
      expect(outcome).toMatchObject({ outcome: "success", result: 'a\nb{"c":"1"}', logs });
      const generator = await runner.run({ code: "export function* main() { yield 1; yield 2; }" });
      expect(generator).toMatchObject({ result: "12", logs: { text: "WM_STREAM: 1\nWM_STREAM: 2\n" } });
    });

    it("larger than the inline limit are uploaded", async () => {
      const request = runner.request({ code: "export function main() { return 'é'.repeat(3_000_000); }" });
      const outcome = await runner.send(request);
      expect(outcome).toMatchObject({ outcome: "success", resultUploaded: { bytes: 6_000_002 } });
      expect(outcome.result).toBeUndefined();
      const { type, body } = runner.uploads.get(request.job) ?? {};
      expect(type).toBe("application/json");
      expect(JSON.parse(body ?? "")).toBe("é".repeat(3_000_000));
    });

    it("larger than the limit fail with the limit", async () => {
      const expected = { name: "ResultTooLarge", message: "The result is larger than the limit of 1 MB." };
      const limits = { maxResultBytes: 1024 * 1024 };
      expect(await error("export function main() { return 'x'.repeat(1_048_575); }", limits)).toEqual(expected);
      expect(await error("export function main() { return 'x'.repeat(5_000_000); }", limits)).toEqual(expected);
    });
  });

  describe("errors", () => {
    it("have a name, a message and the script's own lines", async () => {
      // Maps line 2 of the bundle to line 3 of the script, and line 3 to line 4.
      const map = { version: 3, sources: ["f/ops/hello.ts"], names: [], mappings: ";AAEE;AACA", sourcesContent: [null] };
      const outcome = await runner.run({
        files: {
          "main.mjs":
            "export function main() {\n  const e = new TypeError('bad input', { cause: new Error('inner') });\n  throw e;\n}\n//# sourceMappingURL=main.mjs.map",
          "main.mjs.map": JSON.stringify(map),
        },
      });
      expect(outcome).toMatchObject({ outcome: "failure", error: { name: "TypeError", message: "bad input" } });
      const stack = outcome.error?.stack ?? "";
      expect(stack).toMatch(
        /^TypeError: bad input\n {4}at main \(f\/ops\/hello\.ts:3:\d+\)\nCaused by: Error: inner\n {4}at main \(f\/ops\/hello\.ts:3:\d+\)$/,
      );
    });

    it("keep own error names and have no machine paths", async () => {
      const code =
        "class OrderError extends Error { name = 'OrderError'; }\nexport async function main() { await null; throw new OrderError('no stock'); }";
      const found = await error(code);
      expect(found).toMatchObject({ name: "OrderError", message: "no stock" });
      expect(found?.stack).toContain("main.mjs:2:");
      expect(found?.stack).not.toMatch(/realm|worker|wrapper|svc-runner/);
    });

    it.each([
      ["'just text'", { name: "Error", message: "just text" }],
      ["{ code: 7 }", { name: "Error", message: '{"code":7}' }],
      ["{ name: 'Odd', message: 'like an error' }", { name: "Odd", message: "like an error" }],
      ["undefined", { name: "Error", message: "undefined" }],
    ])("may be anything that was thrown: %s", async (thrown, expected) => {
      expect(await error(`export function main() { throw ${thrown}; }`)).toEqual(expected);
    });

    it.each([
      ["at the top of the module", "throw new Error('top'); export function main() {}", "top"],
      [
        "by nobody's promise",
        "export async function main() { Promise.reject(new Error('lost')); await new Promise((r) => setTimeout(r, 5000)); }",
        "lost",
      ],
      [
        "later, in a timer",
        "export async function main() { setTimeout(() => { throw new Error('late'); }, 5); await new Promise((r) => setTimeout(r, 5000)); }",
        "late",
      ],
    ])("count when thrown %s", async (_where, code, message) => {
      expect(await error(code)).toMatchObject({ name: "Error", message });
    });

    it("include a syntax error and a module that is not there", async () => {
      expect((await error("export function main( {"))?.message).toBeTruthy();
      expect((await error("import 'not-installed-anywhere'; export function main() {}"))?.message).toContain("not-installed-anywhere");
    });

    it("say how a script ended itself", async () => {
      const found = await error(
        "export async function main() { console.log('bye'); process.exit(7); }".replace(
          "process",
          language === "deno" ? "(await import('node:process')).default" : "process",
        ),
      );
      expect(found).toMatchObject({
        name: "ExitError",
        exit_code: 7,
        message: "The script ended itself with exit code 7 before 'main' had returned.",
      });
    });

    it("say that a script waits for nothing", async () => {
      const found = await error("export function main() { return new Promise(() => {}); }");
      expect(found?.message).toContain("waits for a promise that nothing can settle");
    });
  });

  describe("output", () => {
    it("is the log, in order, from wherever it is written", async () => {
      const code = `import { spawnSync } from "node:child_process"; import process from "node:process";
        export function main() {
          console.log("1 log"); process.stdout.write("2 write\\n"); console.error("3 error");
          spawnSync("sh", ["-c", "echo 4 child; echo 5 child error >&2"], { stdio: "inherit" });
          process.stdout.write("6 " + "y".repeat(200000) + "\\n"); console.log("7 log"); process.stderr.write("8 end");
        }`;
      const { logs } = await runner.run({ code });
      expect(logs.text).toBe(`1 log\n2 write\n3 error\n4 child\n5 child error\n6 ${"y".repeat(200_000)}\n7 log\n8 end`);
    });

    it("of 10 MB is cut at the limit, once, and the script goes on", async () => {
      const code =
        "export function main() { const line = '😀'.repeat(250); for (let i = 0; i < 10_000; i++) console.log(line); return 'done'; }";
      let sent = "";
      runner.onBeat = ({ logs }) => {
        sent += logs?.text ?? "";
        return { go: "on", watched: false };
      };
      const outcome = await runner.run({ code });
      runner.onBeat = () => ({ go: "on", watched: false });
      expect(outcome.result).toBe("done");
      const log = sent + outcome.logs.text;
      expect(outcome.logs.offset).toBe(sent.length);
      expect(log.endsWith("\n[svc] The log was cut here: it reached the limit of 5 MB.\n")).toBe(true);
      expect(log.split("[svc]")).toHaveLength(2);
      expect(log).not.toContain("\ufffd");
      expect(outcome.logs.text.length).toBeLessThanOrEqual(256 * 1024);
    });
  });

  describe("isolation", () => {
    const env = language === "deno" ? "Deno.env.toObject()" : "process.env";

    it("shows the job's variables and none of the supervisor's", async () => {
      const seen = (await result(
        `export function main() { return { ...${env} }; }`,
        {},
        { env: { WM_JOB_ID: "j1", OWN: "x", AWS_REGION: "no" } },
      )) as Record<string, string>;
      expect(Object.keys(seen).sort()).toEqual(["HOME", "LANG", "OWN", "PATH", "SVC_PROCESS_TAG", "TMPDIR", "WM_JOB_ID"]);
      expect(JSON.stringify(seen)).not.toMatch(/never-to-be-seen|secret-job-token|nonce-of-this-attempt/);
    });

    it("gives children the job's variables too", async () => {
      const code = `import { execSync } from "node:child_process";
        export function main() { return [execSync("echo $OWN").toString(), globalThis.Bun ? Bun.spawnSync(["sh", "-c", "echo $OWN"]).stdout.toString() : "x\\n"]; }`;
      expect(await result(code, {}, { env: { OWN: "x" } })).toEqual(["x\n", "x\n"]);
    });

    it("works in an empty 0700 directory of its own that is gone after the run", async () => {
      const code = `import fs from "node:fs"; import os from "node:os"; import process from "node:process";
        export function main() {
          const found = fs.readdirSync(".", { recursive: true });
          fs.writeFileSync("left.txt", "x"); fs.writeFileSync(process.env.TMPDIR + "/left.txt", "x"); fs.mkdirSync("locked/deep", { recursive: true }); fs.chmodSync("locked", 0);
          return { found, cwd: process.cwd(), home: process.env.HOME, tmp: os.tmpdir(), mode: (fs.statSync(".").mode & 0o777).toString(8) };
        }`;
      const seen = (await result(code)) as { found: string[]; cwd: string; home: string; tmp: string; mode: string };
      expect(seen).toEqual({ found: ["tmp"], cwd: seen.home, home: seen.home, tmp: `${seen.home}/tmp`, mode: "700" });
      expect(existsSync(`${seen.home}/left.txt`)).toBe(false);
      expect(filesOfJobs(runner)).toEqual([]);
    });

    it("starts every run with fresh modules, globals and environment", async () => {
      const code = `import process from "node:process"; let count = 0;
        export function main() { count++; globalThis.seen = (globalThis.seen ?? 0) + 1; const before = process.env.LEFT ?? null; process.env.LEFT = "x"; Array.prototype.bad = 1; return [count, globalThis.seen, before]; }`;
      for (let i = 0; i < 3; i++) expect(await result(code)).toEqual([1, 1, null]);
    });

    it("lets no process outlive the job, in whatever group or session", async () => {
      const code = `import { spawn, execSync } from "node:child_process"; import fs from "node:fs";
        export async function main() {
          spawn("sleep", ["300"], { stdio: "ignore" }).unref();
          spawn("sleep", ["301"], { stdio: "ignore", detached: true }).unref();
          execSync("(setsid sh -c 'echo $$ > daemon.pid; exec sleep 302' > /dev/null 2>&1 &) ; (env -i setsid sh -c 'echo $$ > naked.pid; exec sleep 303' > /dev/null 2>&1 &)");
          while (!fs.existsSync("daemon.pid") || !fs.existsSync("naked.pid")) await new Promise((r) => setTimeout(r, 5));
          await new Promise((r) => setTimeout(r, 20));
          return [execSync("pgrep -P " + globalThis.process?.pid + " || true").toString().trim().split("\\n").map(Number), Number(fs.readFileSync("daemon.pid")), Number(fs.readFileSync("naked.pid"))].flat();
        }`;
      const ids = ((await result(code)) as number[]).filter((id) => id > 0);
      expect(ids.length).toBeGreaterThanOrEqual(2);
      await until(() => !ids.some(isAlive));
    });

    it("runs twenty in a row without losing descriptors, files or processes", async () => {
      const descriptors = async () => (await import("node:fs")).readdirSync("/proc/self/fd").length;
      const code = "export function main(i) { console.log('run', i); return i; }";
      await result(code, { i: -1 });
      await result(code, { i: -1 });
      const before = await descriptors();
      for (let i = 0; i < 20; i++) {
        const outcome = await runner.run({ code, args: { i } });
        expect(outcome).toMatchObject({ outcome: "success", result: i, logs: { offset: 0, text: `run ${i}\n` } });
      }
      // A spare that is being prepared holds three pipes.
      expect((await descriptors()) - before).toBeLessThan(12);
      expect(filesOfJobs(runner)).toEqual([]);
    });
  });

  describe("limits", () => {
    it("stops an endless loop at its time limit", async () => {
      const outcome = await runner.run({ code: "export function main() { console.log('in'); for (;;); }", timeoutMs: 300 });
      expect(outcome).toMatchObject({
        outcome: "timeout",
        error: { name: "TimeoutError", message: "The script ran longer than its limit of 0.3 s and was stopped." },
        logs: { offset: 0, text: "in\n" },
      });
      expect(await result("export function main() { return 'next'; }")).toBe("next");
    });

    it("stops a loop that goes on behind the result", async () => {
      const code = "export function main() { setTimeout(() => { for (;;); }, 0); return 'early'; }";
      expect(await result(code)).toBe("early");
      expect(await result(code)).toBe("early");
    });

    it("reports the memory that was used", async () => {
      const outcome = await runner.run({ code: "export function main() { return new Uint8Array(50_000_000).fill(1).length; }" });
      if (process.platform === "linux") expect(outcome.memPeakKb).toBeGreaterThan(50_000);
    });

    it("drops what a script prints after its result", async () => {
      const code = "export function main(i) { setInterval(() => console.log('late of', i), 1); return i; }";
      for (let i = 0; i < 5; i++) {
        const { logs } = await runner.run({ code, args: { i }, params: ["i"] });
        for (const line of logs.text.split("\n").filter(Boolean)) expect(line).toBe(`late of ${i}`);
      }
    });
  });

  describe("dedicated", () => {
    const code = `import process from "node:process"; import fs from "node:fs"; let count = 0;
      export function main(what) { if (what === "throw") throw new Error("x"); if (what === "exit") process.exit(3); console.log("run", ++count); const found = fs.readdirSync("."); fs.writeFileSync(process.cwd() + "/left", ""); return [count, process.env.WM_JOB_ID, found]; }`;
    const run = (job: string, what = "") =>
      runner.run({ code, job, args: { what }, params: ["what"], dedicated: true, hostKey: "dedicated" });

    it("keeps the loaded module, with each job's own environment and directory", async () => {
      const [first, second] = [await run("a"), await run("b")];
      expect(first).toMatchObject({ result: [1, "a", ["tmp"]], logs: { text: "run 1\n" }, timings: { freshHost: true } });
      expect(second).toMatchObject({ result: [2, "b", ["tmp"]], logs: { text: "run 2\n" }, timings: { freshHost: false } });
    });

    it("survives a failure and starts anew after an exit", async () => {
      await run("a");
      const { result: before } = (await run("a")) as { result: [number] };
      expect(await run("b", "throw")).toMatchObject({ outcome: "failure", error: { message: "x" } });
      expect(await run("c")).toMatchObject({ result: [before[0] + 1, "c", ["tmp"]] });
      expect(await run("d", "exit")).toMatchObject({ outcome: "failure", error: { exit_code: 3 } });
      expect(await run("e")).toMatchObject({ result: [1, "e", ["tmp"]] });
    });

    it("is never shared with another key", async () => {
      await run("a");
      expect(await runner.run({ code, job: "b", dedicated: true, hostKey: "other" })).toMatchObject({ result: [1, "b", ["tmp"]] });
    });
  });
});
