import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../../../contract/json/exact-json.ts";
import { interpretExpression, loadInterpreter } from "../../../../core/expressions/interpret.ts";
import { evaluateExpression } from "./evaluate-expression.ts";

const job = { input: { name: "Ada", list: [{ n: 1 }, { n: 2 }], none: null }, id: "1" };

describe("expressions", () => {
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
    ["job.input.name === 'return' // return", false],
    ["job.input.name;", "Ada"],
    ["{ return: 1 }.return /* return */", 1],
    ["job.input.list.map((each) => { return each.n })", [1, 2]],
    ["function () { return 1 }()", 1],
    ["if (job.id === '1') { return 'first' } else { return 'other' }", "first"],
    ["try { return nothing.x } catch { return 'caught' }", "caught"],
    ["const job = { own: 1 }; return job.own", 1],
    ["var job = job.input; return job.name", "Ada"],
    ["2n ** 64n", "18446744073709551616"],
    ["[1n, { a: 2n }]", ["1", { a: "2" }]],
    ["[NaN, Infinity]", [null, null]],
    ["JSON.stringify = () => '$var:x'", null],
  ])("%s", async (text, value) => {
    expect(await evaluateExpression(text, { job })).toEqual({ ok: true, value });
  });

  it.each([
    ["job.input.absent.deeper + 1", "TypeError"],
    ["missing", "ReferenceError"],
    ["1 +", "SyntaxError: Unexpected token at line 1, column 4."],
    ["1\n + 2 3", "SyntaxError: Unexpected token at line 2, column 6."],
    ["1) + (2", "SyntaxError"],
    ["} return 1; {", "SyntaxError"],
    ["1 /* open", "SyntaxError: Unterminated comment at line 1, column 3."],
    ["let a = 1; a + 1", "SyntaxError: it is a list of statements without a return."],
    ["const f = () => { return 1 }; f()", "without a return"],
    ["", "SyntaxError"],
    ["(() => { for (;;) {} })()", "longer than 500 ms"],
    ["'x'.repeat(1e9)", "."],
    ["(function f() { return f(); })()", "."],
    ["(() => { throw 'plain' })()", "plain"],
    ["process.env", "ReferenceError"],
    ["fetch('http://x')", "ReferenceError"],
    ["given", "ReferenceError"],
  ])("an invalid expression fails with its reason: %s", async (text, reason) => {
    expect(await evaluateExpression(text, { job })).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it("an expression that is nested too deeply fails with its reason", async () => {
    const nested = `${"(".repeat(100_000)}1${")".repeat(100_000)}`;
    expect(await evaluateExpression(nested, {})).toEqual({ ok: false, reason: expect.stringMatching(/stack space|nested too deeply/) });
    const sum = `${"1+".repeat(100_000)}1`;
    expect(await evaluateExpression(sum, {})).toMatchObject({ ok: false });
  });

  it.each([
    ["indexOf", "Array.prototype.indexOf.call({ length: 1e15 }, 1)"],
    [
      "sort",
      "Array.from({ length: 200000 }, (_, i) => -i).sort((a, b) => { for (let i = 0; i < 1e6; i += 1) if (i < 0) return i; return a - b; })",
    ],
    ["sort by text", "Array.prototype.sort.call({ length: 1e9 })"],
    ["repeat", "(() => { let n = 0; for (;;) n += 'ab'.repeat(2e7).length })()"],
    ["Array.from", "Array.from({ length: 1e15 }, () => 0).length"],
    ["join", "Array.prototype.join.call({ length: 1e9 }, '').length"],
    ["a regular expression", "/^(a|aa|a?)+$/.test('a'.repeat(60) + '!')"],
  ])("a native loop of %s ends, and the next expression is evaluated", { timeout: 60_000 }, async (_, text) => {
    expect(await evaluateExpression(text, {})).toEqual({ ok: false, reason: expect.stringMatching(/longer than 500 ms|memory|Error/) });
    expect(await evaluateExpression("1 + 1", {})).toEqual({ ok: true, value: 2 });
  });

  it("the event loop runs while an expression is evaluated, and simultaneous expressions do not affect each other", async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 5);
    const texts = ["(() => { for (;;) {} })()", "Array.prototype.indexOf.call({ length: 1e15 }, 1)", "1 + 2"];
    const [first, second, third] = await Promise.all(texts.map((text) => evaluateExpression(text, {})));
    clearInterval(timer);
    expect([first?.ok, second?.ok, third]).toEqual([false, false, { ok: true, value: 3 }]);
    expect(turns).toBeGreaterThan(5);
  });

  it("the thread of the interpreter has no environment variables of this process", async () => {
    expect(await evaluateExpression("typeof process + typeof require", {})).toEqual({ ok: true, value: "undefinedundefined" });
  });

  it("an expression reads values of the maximum depth of a body", async () => {
    const deep = JSON.parse(`${"[".repeat(400)}1${"]".repeat(400)}`) as unknown;
    expect(await evaluateExpression("[job.input]", { job: { input: deep } })).toEqual({ ok: true, value: [deep] });
  });

  it("an expression whose value is nested more deeply than any language reads fails with its reason", async () => {
    expect(await evaluateExpression("Array.from({ length: 430 }).reduce((inner) => [inner], 1)", {})).toEqual({
      ok: false,
      reason: "its value cannot be used: it is nested more than 420 levels deep.",
    });
    expect(await evaluateExpression("Array.from({ length: 50_000 }).reduce((inner) => [inner], 1)", {})).toMatchObject({ ok: false });
  });

  it.each([
    ["job.input.id", 9007199254740993n],
    ["job.input['order-id']", 9007199254740995n],
    ['job?.["input"].list?.[1]', 18446744073709551615n],
    ["job.input", { id: 9007199254740993n, "order-id": 9007199254740995n, list: [1, 18446744073709551615n], none: null }],
    ["job.input['none']", null],
    ["job.input['absent']", null],
    // JavaScript computes with doubles.
    ["job.input.id + 1", 9007199254740992 + 1],
    ["[job.input.id]", [9007199254740992]],
    ["String(job.input.id)", "9007199254740992"],
  ])("a path keeps the digits of whole numbers, and other expressions round as JavaScript does: %s", async (text, value) => {
    const input = parseExactJson('{"id":9007199254740993,"order-id":9007199254740995,"list":[1,18446744073709551615],"none":null}');
    expect(await evaluateExpression(text, { job: { input } })).toEqual({ ok: true, value });
  });

  it("a path through a missing part fails as in JavaScript", async () => {
    expect(await evaluateExpression("job.input['none']['more']", { job })).toEqual({
      ok: false,
      reason: expect.stringContaining("TypeError"),
    });
  });

  it("an expression cannot affect later ones or our prototypes", async () => {
    expect(await evaluateExpression("(globalThis.left = 1, Object.prototype.left = 2)", { job })).toEqual({ ok: true, value: 2 });
    expect(await evaluateExpression("typeof left", { job })).toEqual({ ok: true, value: "undefined" });
    expect(({} as { left?: number }).left).toBeUndefined();
    expect(await evaluateExpression("return job.constructor.constructor('return typeof process')()", { job })).toEqual({
      ok: true,
      value: "undefined",
    });
  });
});

describe("an expression that closes the function around it", () => {
  /** Throws outside the function of the expression, where its names are not visible. */
  const outside = 'if (typeof inside === "undefined") throw new Error("ESCAPED");';
  const asValue = '(typeof inside === "undefined" && (() => { throw new Error("ESCAPED"); })())';
  const closers = [")", "}", "]", "})", "));", "\n", ";", ",", "`", "${", "'", '"', "/*", "*/", "//", "<!--", "-->", "\u2028", "\\", "/"];
  const openers = ["(", "{", "[", "(() => {", "(function () {", "({ a: () => {", "(", "=> {", "return", "return 1", "1", "a:", "else", "`"];
  const text = fc
    .array(fc.constantFrom(...closers, ...openers, outside, asValue), { minLength: 2, maxLength: 12 })
    .map((parts) => parts.join(" "));

  it("never runs code outside of it", { timeout: 120_000 }, async () => {
    let accepted = 0;
    const check = async (expression: string) => {
      const found = await evaluateExpression(expression, { inside: 1 });
      if (found.ok) accepted += 1;
      else expect([expression, found.reason]).toEqual([expression, expect.not.stringMatching(/^Error: ESCAPED/)]);
    };
    for (const open of openers)
      for (const marker of [outside, asValue])
        for (const close of [
          "1)",
          "1)}",
          "1)});",
          "1\n)})",
          "}",
          "}}",
          "})",
          "return 1}}",
          "1/**/)}) ",
          "(1 <!--\n)})",
          "(1\n-->\n)})",
          "`1`)})",
          "/1/)})",
        ]) {
          await check(`${close} ${marker} ${open}`);
          await check(`${close}; ${marker}; ${open} {`);
          await check(`${close}, ${marker}, ${open} 1`);
        }
    await fc.assert(fc.asyncProperty(text, check), { numRuns: 1000 });
    expect(accepted).toBeGreaterThan(0);
  });

  it("would run it if the text were embedded without a parser", async () => {
    const evaluation = { as: "json", names: ["inside"], input: '{"names":{"inside":1}}', mayRead: false } as const;
    const interpreter = await loadInterpreter();
    const run = (code: string, isBody: boolean) => interpretExpression(interpreter, { ...evaluation, code, isBody, names: ["inside"] });
    expect(run(`1)}, ${asValue}, function () { return (1`, false)).toMatchObject({ ok: false, reason: expect.stringContaining("ESCAPED") });
    expect(run(`}}, ${asValue}, function () {{`, true)).toMatchObject({ ok: false, reason: expect.stringContaining("ESCAPED") });
  });
});

describe("conversions of values", () => {
  it.each(["Infinity", "-Infinity", "1n", "() => 0", "Symbol()", "[]", "{}", "'0'", "job", "job.input.name"])(
    "%s is a condition that holds",
    async (text) => {
      expect(await evaluateExpression(text, { job }, { as: "boolean" })).toEqual({ ok: true, value: true });
    },
  );

  it.each(["NaN", "0n", "-0", "''", "null", "undefined", "job.input.none", "job.input.absent", "job.absent.deeper"])(
    "%s is a condition that does not hold",
    async (text) => {
      const found = await evaluateExpression(text, { job }, { as: "boolean" });
      expect(found.ok ? found.value : "TypeError").toBe(text.endsWith("deeper") ? "TypeError" : false);
    },
  );

  it.each([
    ["1.5", "1.5"],
    ["10n", "10"],
    ["'7'", "7"],
    ["NaN", "NaN"],
    ["-Infinity", "-Infinity"],
    ["[5]", "NaN"],
    ["true", "NaN"],
    ["null", null],
    ["undefined", null],
    ["job.input.list[0].n", 1],
  ])("%s as a number", async (text, value) => {
    expect(await evaluateExpression(text, { job }, { as: "number" })).toEqual({ ok: true, value });
  });
});

describe("the results of steps", () => {
  const results = { b: 1, a: null };
  it.each([
    ["Object.keys(results)", ["b", "a"]],
    ["['b' in results, 'c' in results, results.hasOwnProperty('a'), results.hasOwnProperty('c')]", [true, false, true, false]],
    ["[results.c, results['c'], results.c?.d, results.c ?? 3]", [null, null, null, 3]],
    ["{ ...results }", results],
    ["results", results],
    ["results.c", null],
    [`\`\${Object.entries(results)}\``, "b,1,a,"],
    ["(() => { for (const id in results) return id })()", "b"],
  ])("%s", async (text, value) => {
    expect(await evaluateExpression(text, { results })).toEqual({ ok: true, value });
  });
});

describe("expressions with references", () => {
  const reads = new Map<string, unknown>([
    ["$var:f/t/key", "text"],
    ["$res:f/t/db", { host: "h", port: 1 }],
  ]);

  it.each([
    ["variable('f/t/key') + '!'", "text!"],
    ["resource('f/t/' + 'db').host", "h"],
    ["({ ...resource('f/t/db'), key: variable('f/t/key') })", { host: "h", port: 1, key: "text" }],
    ["const variable = () => 'own'; return variable()", "own"],
    ["typeof variable", "function"],
  ])("%s", async (text, value) => {
    expect(await evaluateExpression(text, { job }, { reads })).toEqual({ ok: true, value });
  });

  it.each([
    ["variable('f/t/' + job.id)", "$var:f/t/1"],
    ["resource('f/t/none').host + variable('f/t/later')", "$res:f/t/none"],
    ["try { return variable('f/t/none') } catch { return 'caught' }", "$var:f/t/none"],
  ])("%s reports its missing reference", async (text, missingReference) => {
    expect(await evaluateExpression(text, { job }, { reads })).toMatchObject({ ok: false, missingReference });
  });

  it.each(["variable('')", "resource({})", "variable()"])("%s fails by itself", async (text) => {
    const found = await evaluateExpression(text, { job }, { reads });
    expect(found).toMatchObject({ ok: false, reason: expect.stringContaining("takes a path") });
    expect(found).not.toHaveProperty("missingReference");
  });

  it("an expression cannot access its caller, or references where none may be read", async () => {
    for (const name of ["asks", "reads", "names", "given", "reading", "run"]) {
      expect(await evaluateExpression(`typeof ${name}`, { job }, { reads })).toEqual({ ok: true, value: "undefined" });
    }
    expect(await evaluateExpression("variable('f/t/key')", { job })).toMatchObject({
      ok: false,
      reason: expect.stringContaining("variable"),
    });
  });
});
