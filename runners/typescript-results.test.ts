import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Runner, startRunner } from "./conformance/harness.ts";

/** Behaviour that all TypeScript languages share. */
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
    ])("the result %s becomes the expected JSON", async (expression, expected) => {
      expect(await result(`export function main() { return ${expression}; }`)).toEqual(expected);
    });

    it.each([
      ["const a = { self: null }; a.self = a; return { a };", "result.a.self refers back to result.a"],
      ["return { list: [1, { 'the key': () => 1 }] };", 'result.list[1]["the key"] is a function'],
      ["return Symbol('x');", "result is a symbol"],
      ["return { p: Promise.resolve(1) };", "result.p is a promise that was not awaited"],
      ["return new Map([[{}, 1]]);", "result is a Map with a key that is not text (object)"],
      ["return { m: new Map([[1, 'a'], ['1', 'b']]) };", 'result.m is a Map with two keys that are the same text "1"'],
    ])("the error names the part that cannot be converted to JSON: %s", async (body, what) => {
      expect(await error(`export function main() { ${body} }`)).toEqual({
        name: "ResultError",
        message: `The result cannot be converted to JSON: ${what}`,
      });
    });

    it("an iterator is printed as a stream, whose text is the result", async () => {
      const outcome = await runner.run({ code: "export async function* main() { yield 'a\\nb'; yield { c: 1n }; }" });
      const logs = { text: 'WM_STREAM: a\\nb\nWM_STREAM: {"c":"1"}\n' };
      expect(outcome).toMatchObject({ outcome: "success", result: 'a\nb{"c":"1"}', logs });
      const generator = await runner.run({ code: "export function* main() { yield 1; yield 2; }" });
      expect(generator).toMatchObject({ result: "12", logs: { text: "WM_STREAM: 1\nWM_STREAM: 2\n" } });
    });

    it("a result beyond the inline limit is uploaded", async () => {
      const request = runner.request({ code: "export function main() { return 'é'.repeat(3_000_000); }" });
      const outcome = await runner.send(request);
      expect(outcome).toMatchObject({ outcome: "success", resultUploaded: { bytes: 6_000_002 } });
      expect(outcome.result).toBeUndefined();
      const { type, body } = runner.uploads.get(request.job) ?? {};
      expect(type).toBe("application/json");
      expect(JSON.parse(body ?? "")).toBe("é".repeat(3_000_000));
    });

    it("a result beyond the limit fails the run, and the error names the limit", async () => {
      const expected = {
        name: "ResultTooLarge",
        message: "The result is larger than the limit of 1 MB. Store large data as a file and return a reference to it.",
      };
      const limits = { maxResultBytes: 1024 * 1024 };
      expect(await error("export function main() { return 'x'.repeat(1_048_575); }", limits)).toEqual(expected);
      expect(await error("export function main() { return 'x'.repeat(5_000_000); }", limits)).toEqual(expected);
    });
  });

  describe("errors", () => {
    it("an error has a name, a message and line numbers of the script", async () => {
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

    it("an error has the script's own error names and no machine paths", async () => {
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
      ["null", { name: "Error", message: "null" }],
      ["Object.create(null)", { name: "Error", message: "{}" }],
      ["{ code: 7, get self() { return this; } }", { name: "Error", message: '{"code":7,"self":"[a part that contains it]"}' }],
      [
        "{ code: 7, run() {}, s: Symbol('x'), n: 1n }",
        { name: "Error", message: '{"code":7,"run":"[a function]","s":"[Symbol(x)]","n":"1"}' },
      ],
      ["{ code: 7, get bad() { throw new Error('no'); } }", { name: "Error", message: '{"code":7,"bad":"[no]"}' }],
      ["{ name: null, message: 'like an error' }", { name: "Error", message: "like an error" }],
      ["[new Map([[{}, 1]]), 2]", { name: "Error", message: "[[[{},1]],2]" }],
    ])("any thrown value becomes an error: %s", async (thrown, expected) => {
      expect(await error(`export function main() { throw ${thrown}; }`)).toEqual(expected);
    });

    it("a thrown value that is nested deeply shows its upper levels", async () => {
      const found = await error(
        "export function main() { let v = { end: 1 }; for (let i = 0; i < 5000; i++) v = { code: 7, v }; throw v; }",
      );
      expect(found?.message).toMatch(/^\{"code":7,"v":\{"code":7/);
      expect(found?.message).toContain("[more levels]");
    });

    it("an error keeps its name, message and status if its reply refers to itself", async () => {
      const code = `export function main() {
        const result = { code: 7 }; result.self = result;
        throw Object.assign(new TypeError("kept"), { svc_status_code: 409, result, cause: null });
      }`;
      expect(await error(code)).toMatchObject({
        name: "TypeError",
        message: "kept",
        reply: { svc_status_code: 409, result: { code: 7, self: "[a part that contains it]" } },
      });
    });

    it.each(["null", "undefined", "{ code: 7, get self() { return this; } }"])(
      "a rejected promise with %s fails the run",
      async (reason) => {
        const found = await error(
          `export async function main() { Promise.reject(${reason}); await new Promise((r) => setTimeout(r, 5000)); }`,
        );
        expect(found?.name).toBe("Error");
        expect(found?.message).toMatch(/null|undefined|"code":7/);
      },
    );

    it.each([
      ["at the top of the module", "throw new Error('top'); export function main() {}", "top"],
      [
        "in a promise that is not awaited",
        "export async function main() { Promise.reject(new Error('lost')); await new Promise((r) => setTimeout(r, 5000)); }",
        "lost",
      ],
      [
        "in a timer, later",
        "export async function main() { setTimeout(() => { throw new Error('late'); }, 5); await new Promise((r) => setTimeout(r, 5000)); }",
        "late",
      ],
    ])("an error that is thrown %s fails the run", async (_where, code, message) => {
      const outcome = await runner.run({ code });
      expect(outcome.error, `The log of the run: ${outcome.logs.text}`).toMatchObject({ name: "Error", message });
    });

    it("a syntax error and a missing module are errors", async () => {
      expect((await error("export function main( {"))?.message).toBeTruthy();
      expect((await error("import 'not-installed-anywhere'; export function main() {}"))?.message).toContain("not-installed-anywhere");
    });

    it("the error of a script that exits by itself contains the exit code", async () => {
      const found = await error(
        "export async function main() { console.log('bye'); process.exit(7); }".replace(
          "process",
          language === "deno" ? "(await import('node:process')).default" : "process",
        ),
      );
      expect(found).toMatchObject({
        name: "ExitError",
        exit_code: 7,
        message: "The script exited with code 7 before 'main' returned.",
      });
    });

    it("the error explains that a script awaits a promise that never settles", async () => {
      const found = await error("export function main() { return new Promise(() => {}); }");
      expect(found?.message).toContain("awaits a promise that never settles");
    });
  });

  describe("output", () => {
    it("the log contains the output in order, from every source", async () => {
      const code = `import { spawnSync } from "node:child_process"; import process from "node:process";
        export function main() {
          console.log("1 log"); process.stdout.write("2 write\\n"); console.error("3 error");
          spawnSync("sh", ["-c", "echo 4 child; echo 5 child error >&2"], { stdio: "inherit" });
          process.stdout.write("6 " + "y".repeat(200000) + "\\n"); console.log("7 log"); process.stderr.write("8 end");
        }`;
      const { logs } = await runner.run({ code });
      expect(logs.text).toBe(`1 log\n2 write\n3 error\n4 child\n5 child error\n6 ${"y".repeat(200_000)}\n7 log\n8 end`);
    });

    it("the log of 10 MB is cut once at the limit, and the script continues", async () => {
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
});
