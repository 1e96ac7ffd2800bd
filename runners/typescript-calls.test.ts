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

  describe("arguments", () => {
    it("arguments are passed by name, in the order of the declared parameters", async () => {
      const code = "export function main(b, a) { return [b, a]; }";
      expect(await result(code, { a: 1, b: "two" }, { params: ["b", "a"] })).toEqual(["two", 1]);
    });

    it("an absent parameter gets its default, and a null is passed as null", async () => {
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
    ])("parameter names are read from the function's own text if they are unknown: %s", async (code, expected) => {
      expect(await result(code, { a: 1, b: 2 })).toEqual(expected);
    });

    it("arguments become dates and bytes according to the types of the script", async () => {
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

    it("arguments are passed to another entrypoint by its name", async () => {
      expect(await result("export function preprocessor(a) { return a; }", { a: 7 }, { entrypoint: "preprocessor" })).toBe(7);
    });

    it("the error lists the exports if the function is missing", async () => {
      expect(await error("export const x = 1; export function other() {}")).toEqual({
        name: "EntrypointError",
        message: "The script does not export a function 'main'. It exports: other, x.",
      });
    });
  });

  describe("preprocessors", () => {
    const event = { kind: "webhook", raw_string: '{"n":1}', query: { a: "b" }, headers: { "x-event": "push" } };
    const preprocessor = { params: null };

    it.each([
      ["'text'", { value: "text" }],
      ["[1]", { value: [1] }],
      ["undefined", { value: null }],
      ["({ value: new Date(0) })", { value: "1970-01-01T00:00:00.000Z" }],
    ])("a preprocessor that returns %s passes a value to main", async (value, expected) => {
      const code = `export const preprocessor = () => ${value}; export function main(value) { return { value }; }`;
      expect(await result(code, { event }, { preprocessor, params: ["value"] })).toEqual(expected);
    });

    it.each([
      ["not json", "not json"],
      ["[1,2]", [1, 2]],
    ])("a preprocessor receives the body %s from the text if the event has no parsed body", async (raw_string, body) => {
      const code = "export const preprocessor = (event) => ({ event }); export const main = (event) => event;";
      const sent = { kind: "webhook", raw_string, query: {}, headers: {} };
      expect(await result(code, { event: sent }, { preprocessor })).toEqual({ ...sent, body });
      expect(await result(code, { event: { ...sent, body: "own" } }, { preprocessor })).toEqual({ ...sent, body: "own" });
    });

    it("a preprocessor that throws fails the run with that error, which can shape the reply, and main does not run", async () => {
      const code = `export function preprocessor() { throw Object.assign(new TypeError("bad signature"), { svc_status_code: 401 }); }
        export function main() { console.log("ran"); }`;
      const outcome = await runner.run({ code, args: { event }, preprocessor });
      const error = { name: "TypeError", message: "The preprocessor failed: bad signature", reply: { svc_status_code: 401 } };
      expect(outcome).toMatchObject({ outcome: "failure", error, logs: { text: "" } });
      expect(outcome.preprocessed).toBeUndefined();
    });

    it("the error names a preprocessor that is missing, or returns too much or a value that is not JSON", async () => {
      const failed = async (code: string, more = {}) => (await error(code, { args: { event }, preprocessor, ...more }))?.message;
      expect(await failed("export function main() {}")).toContain("The preprocessor failed: The script does not export");
      expect(await failed("export const preprocessor = () => ({ f() {} }); export const main = () => 1;")).toContain(
        "cannot be converted to JSON",
      );
      const large = "export const preprocessor = () => 'x'.repeat(3000); export const main = () => 1;";
      expect(await failed(large, { maxInlineResultBytes: 2000 })).toContain("the limit of 2000 bytes");
    });
  });
});
