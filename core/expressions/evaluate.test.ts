import { describe, expect, it } from "vitest";
import { evaluate } from "./evaluate.ts";

const job = { input: { name: "Ada", list: [{ n: 1 }, { n: 2 }], none: null }, id: "1" };

describe("an expression", () => {
  it.each([
    ["job.input.name", "Ada"],
    ["job.input.list[1].n", 2],
    ["job.input?.list", job.input.list],
    ["job.input.none.deeper", null],
    ["job.input.list.length", 2],
    ["job.input.name.length", 3],
    ["job.input.absent", null],
    ["job.input.name + '!'", "Ada!"],
    ["job.input.list.map(({ n }) => n * 2)", [2, 4]],
    ["{ ...job.input, list: [] }", { name: "Ada", list: [], none: null }],
    ["let sum = 0; for (const { n } of job.input.list) sum += n; return sum", 3],
    ["undefined", null],
    ["true", true],
    ["1 // one", 1],
    ["JSON.stringify({ a: 1 })", '{"a":1}'],
  ])("%s", async (text, value) => {
    expect(await evaluate(text, { job })).toEqual({ ok: true, value });
  });

  it.each([
    ["job.input.absent.deeper + 1", "TypeError"],
    ["missing", "ReferenceError"],
    ["1 +", "SyntaxError"],
    ["(() => { for (;;) {} })()", "longer than 500 ms"],
    ["'x'.repeat(1e9)", "."],
    ["(function f() { return f(); })()", "."],
    ["(() => { throw 'plain' })()", "plain"],
    ["process.env", "ReferenceError"],
    ["fetch('http://x')", "ReferenceError"],
    ["given", "ReferenceError"],
  ])("that cannot be evaluated says why: %s", async (text, reason) => {
    expect(await evaluate(text, { job })).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it("takes what is nested as deep as a body may be", async () => {
    const deep = JSON.parse(`${"[".repeat(400)}1${"]".repeat(400)}`) as unknown;
    expect(await evaluate("[job.input]", { job: { input: deep } })).toEqual({ ok: true, value: [deep] });
  });

  it("leaves nothing behind for the next one, and reaches no prototype of ours", async () => {
    expect(await evaluate("(globalThis.left = 1, Object.prototype.left = 2)", { job })).toEqual({ ok: true, value: 2 });
    expect(await evaluate("typeof left", { job })).toEqual({ ok: true, value: "undefined" });
    expect(({} as { left?: number }).left).toBeUndefined();
    expect(await evaluate("return job.constructor.constructor('return typeof process')()", { job })).toEqual({
      ok: true,
      value: "undefined",
    });
  });
});
