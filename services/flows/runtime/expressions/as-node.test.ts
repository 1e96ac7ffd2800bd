import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, it } from "vitest";
import { evaluateExpression } from "./evaluate-expression.ts";

/** The generator knows whether a text is an expression or a body, because it has built the text. */
interface Drawn {
  text: string;
  isBody: boolean;
}

const names = { x: 7, s: "return", none: null, list: [1, 2, 3], obj: { return: 1, a: { b: "in" } }, result: { results: 2 }, params: 5 };

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const sub = tie("expression");
  const pair = fc.tuple(sub, sub);
  const leaf = fc.constantFrom(
    ...["1", "0", "-1.5", "2n", "true", "null", "undefined", "NaN", "Infinity", '"return"', "'return x'", "`return`", "/return/.source"],
    ...Object.keys(names),
    ...[
      "obj.return",
      "obj?.['return']",
      "obj.a.b",
      "none?.b",
      "(none.b)",
      "list[1]",
      "missing",
      "typeof missing",
      "s.length",
      "String(2n ** 70n)",
    ],
    ...[
      "{ return: 1 }.return",
      "{ ...obj, x }",
      "[...list, , 4]",
      "((a) => { return a })(x)",
      "function () { return 2 }()",
      "new Date(0).toISOString()",
    ],
    ...[
      "list.map((each) => { return each * 2 })",
      "(() => { /* return */ })()",
      "({ get a() { return 1 } }).a",
      "class { static m() { return 1 } }.m()",
    ],
    ...[
      "/* return */ x",
      "x // return",
      "(x, s)",
      "1 // return 2",
      "list.at(-1)",
      "'\\u0072eturn'",
      "obj.\\u0072eturn",
      `\`\${'return'}\``,
    ],
  );
  const around = fc.oneof(
    fc
      .tuple(pair, fc.constantFrom("+", "-", "*", "**", "===", "!=", "<", "&&", "||", "??", "in", "instanceof", "%", ">>>", ","))
      .map(([[a, b], operator]) => `(${a}\n) ${operator} (${b}\n)`),
    sub.map((each) => `!(${each}\n)`),
    sub.map((each) => `[${each}\n].concat(list)`),
    sub.map((each) => `{ a: (${each}\n), "return": 1, ['b']: 2 }`),
    sub.map((each) => `\`return \${(${each}\n)}\``),
    sub.map((each) => `list.filter((item) => { return (${each}\n) })`),
    sub.map((each) => `(function () { try { return (${each}\n) } finally { } })()`),
    sub.map((each) => `JSON.stringify((${each}\n))`),
    fc.tuple(sub, pair).map(([a, [b, c]]) => `(${a}\n) ? (${b}\n) : (${c}\n)`),
  );
  return { expression: fc.oneof({ maxDepth: 4, depthSize: "small" }, leaf, around) };
});

const body = fc.oneof(
  expression.map((each) => `return (${each}\n)`),
  expression.map((each) => `const params = (${each}\n); return params`),
  expression.map((each) => `if (x > (${each}\n)) { return "more" } return 'less'`),
  expression.map((each) => `try { return (${each}\n) } catch (error) { return error.name }`),
  expression.map((each) => `for (const item of list) { switch (item) { case 2: return (${each}\n) } }`),
  expression.map((each) => `let result = 1; { result += Number(${each}\n) } label: do { return result } while (true)`),
);

const drawn: fc.Arbitrary<Drawn> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(expression, fc.constantFrom("", ";", " // return", "\n/* return 1 */"))
      .map(([text, end]) => ({ text: text + end, isBody: false })),
  },
  { weight: 1, arbitrary: body.map((text) => ({ text, isBody: true })) },
);

const JSON_TEXT = `(value) => JSON.stringify(value, (_, each) => typeof each === "bigint" ? String(each) : each) ?? "null"`;

/** Node's value of an expression as JSON, and whether it is truthy. */
function evaluateByNode({ text, isBody }: Drawn): { json: unknown; isTruthy: boolean } | "fails" {
  const code = isBody ? `{ ${text}\n }` : `return (${text.replace(/;$/, "")}\n)`;
  const call = `((names) => { const value = (new Function(...Object.keys(names), ${JSON.stringify(code)}))(...Object.values(names));
    return JSON.stringify([(${JSON_TEXT})(value), Boolean(value)]) })(JSON.parse(given))`;
  try {
    const [json, isTruthy] = JSON.parse(String(runInNewContext(call, { given: JSON.stringify(names) }))) as [string, boolean];
    return { json: JSON.parse(json), isTruthy };
  } catch {
    // The expression is invalid or throws.
    return "fails";
  }
}

it("an expression has the value that Node gives it, as JSON and as a condition", { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(drawn, async (each) => {
    const expected = evaluateByNode(each);
    const [value, holds] = [await evaluateExpression(each.text, names), await evaluateExpression(each.text, names, { as: "boolean" })];
    if (expected === "fails") expect(value).toEqual({ ok: false, reason: expect.any(String) });
    else {
      expect(value).toEqual({ ok: true, value: expected.json });
      expect(holds).toEqual({ ok: true, value: expected.isTruthy });
    }
  });
  await fc.assert(property, { numRuns: Number(process.env["SVC_TEST_EXPRESSIONS"] ?? 300) });
});
