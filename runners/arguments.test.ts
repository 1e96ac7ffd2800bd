import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Runner, startRunner } from "./conformance/harness.ts";
import type { ParamType } from "./protocol.ts";

/** An argument of one type: its JSON, and the value that the script receives. `undefined` as JSON: the argument is absent. */
interface Good {
  type: string;
  sent: unknown;
  seen: unknown;
}

/** An argument that does not fit its type, with the fault that the error names. */
interface Bad {
  type: string;
  sent: unknown;
  fault: string;
}

const secret = "c2VjcmV0LXBhc3N3b3Jk!";
const date = "is no date and time in ISO 8601.";

describe.each(["bun", "nodejs", "deno"] as const)("typed arguments of a %s script", (language) => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner(language);
  });
  afterAll(() => runner.close());

  const paramTypes = { Date: "date", Uint8Array: "bytes", Buffer: "buffer", ArrayBuffer: "arrayBuffer", Blob: "blob" } as const;
  const isTyped = (type: string): type is keyof typeof paramTypes => Object.hasOwn(paramTypes, type);
  const see = `async function see(x) {
    if (x instanceof Date) return ["Date", x.toISOString()];
    if (Buffer.isBuffer(x)) return ["Buffer", x.toString("hex")];
    if (x instanceof Uint8Array) return ["Uint8Array", Buffer.from(x).toString("hex"), x.byteLength === x.buffer.byteLength];
    if (x instanceof ArrayBuffer) return ["ArrayBuffer", Buffer.from(x).toString("hex")];
    if (x instanceof Blob) return ["Blob", Buffer.from(await x.arrayBuffer()).toString("hex")];
    return x === undefined ? ["absent"] : x;
  }
`;
  const run = (type: string, args: Record<string, unknown>) => {
    if (!isTyped(type)) throw new Error(type);
    return runner.run({ code: `${see}export const main = (x) => see(x);`, args, params: ["x"], paramTypes: { x: paramTypes[type] } });
  };

  const dates: Good[] = [
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"],
    ["2026-01-02T03:04:05.6789+01:30", "2026-01-02T01:34:05.678Z"],
    ["2026-01-02 03:04:05+0130", "2026-01-02T01:34:05.000Z"],
    ["2026-01-02T03:04Z", "2026-01-02T03:04:00.000Z"],
    ["2026-01-02", "2026-01-02T00:00:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2026-01", "2026-01-01T00:00:00.000Z"],
    ["Fri, 02 Jan 2026 03:04:05 GMT", "2026-01-02T03:04:05.000Z"],
    [1767323045000, "2026-01-02T03:04:05.000Z"],
    [0, "1970-01-01T00:00:00.000Z"],
  ].map(([sent, seen]) => ({ type: "Date", sent, seen: ["Date", seen] }));
  const texts = [
    ["aGk=", "6869"],
    ["_-8", "ffef"],
    ["/+8=", "ffef"],
    ["aG\nk=", "6869"],
    ["", ""],
  ];
  const bytes: Good[] = ["Uint8Array", "Buffer", "ArrayBuffer", "Blob"].flatMap((type) =>
    (type === "Uint8Array" ? texts : texts.slice(0, 2)).map(([sent, hex]) => ({
      type,
      sent,
      seen: type === "Uint8Array" ? [type, hex, true] : [type, hex],
    })),
  );
  const absent: Good[] = ["Date", "Blob"].flatMap((type) => [
    { type, sent: undefined, seen: ["absent"] },
    { type, sent: null, seen: null },
  ]);

  it.each([...dates, ...bytes, ...absent])(
    "the argument $sent is converted to the type $type of the signature",
    async ({ type, sent, seen }) => {
      expect(await run(type, sent === undefined ? {} : { x: sent })).toMatchObject({ outcome: "success", result: seen });
    },
  );

  const bad: Bad[] = [
    { type: "Date", sent: "", fault: `an empty text ${date}` },
    { type: "Date", sent: "  ", fault: `an empty text ${date}` },
    { type: "Date", sent: "soon", fault: `"so…" (4 characters) ${date}` },
    { type: "Date", sent: "1", fault: `"…" (1 characters) ${date}` },
    { type: "Date", sent: "soon 5", fault: `"soo…" (6 characters) ${date}` },
    { type: "Date", sent: "2026-02-30", fault: '"2026-…" (10 characters) names a day that does not exist.' },
    { type: "Date", sent: "2026-13-01", fault: "does not fit the type Date" },
    { type: "Date", sent: "2026-01-02T25:00:00Z", fault: "does not fit the type Date" },
    { type: "Date", sent: 1e20, fault: "the number is no time in milliseconds." },
    { type: "Date", sent: true, fault: "it is a boolean." },
    { type: "Date", sent: ["2026-01-02"], fault: "it is a list." },
    { type: "Date", sent: { date: "2026-01-02" }, fault: "it is an object." },
    { type: "Uint8Array", sent: "a", fault: "the text is no complete base64." },
    { type: "Uint8Array", sent: "aGk=aGk=", fault: "character 4 of the text is not base64." },
    { type: "Uint8Array", sent: "data:text/plain;base64,aGk=", fault: "character 5 of the text is not base64." },
    { type: "Buffer", sent: secret, fault: "character 21 of the text is not base64." },
    { type: "ArrayBuffer", sent: [104, 105], fault: "it is a list and no base64 text." },
    { type: "Blob", sent: 5, fault: "it is a number and no base64 text." },
  ];

  it.each(bad)(
    "the argument $sent, which does not fit the type $type, fails the run once, and the error names the fault",
    async ({ type, sent, fault }) => {
      const { outcome, error, logs } = await run(type, { x: sent });
      expect([outcome, error?.name, logs.text]).toEqual(["failure", "ArgumentError", ""]);
      expect(error?.message).toContain(`The argument "x" does not fit the type ${type}: `);
      expect(error?.message).toContain(fault);
      if (typeof sent === "string" && sent.trim() !== "") expect(error?.message).not.toContain(sent.length > 3 ? sent : `"${sent}"`);
    },
  );

  it("the properties of a destructured parameter are converted to the types of the signature", async () => {
    const code = `${see}export const main = async ({ x, y, z }) => [await see(x), y, await see(z)];`;
    const script = { code, params: null, paramTypes: { x: "date", z: "bytes" } } as const;
    const seen = [["Date", "2026-01-02T00:00:00.000Z"], 1, ["absent"]];
    expect(await runner.run({ ...script, args: { x: "2026-01-02", y: 1 } })).toMatchObject({ result: seen });
    expect(await runner.run({ ...script, args: { x: "soon" } })).toMatchObject({ error: { name: "ArgumentError" } });
  });

  describe("in lists and objects", () => {
    const deep = `const deep = (x) => x instanceof Date ? ["Date", x.getTime()] : x instanceof Uint8Array ? ["bytes", x.length]
      : Array.isArray(x) ? x.map(deep) : x && typeof x === "object" ? Object.fromEntries(Object.entries(x).map(([k, v]) => [k, deep(v)])) : x;
    export const main = deep;\n`;
    const runInside = (type: ParamType, x: unknown) => runner.run({ code: deep, args: { x }, params: ["x"], paramTypes: { x: type } });

    it.each<[ParamType, unknown, unknown]>([
      [{ items: "date" }, ["1970-01-01", null, 5], [["Date", 0], null, ["Date", 5]]],
      [{ items: { items: "bytes" } }, [["aGk="], []], [[["bytes", 2]], []]],
      [{ fields: { at: "date" } }, { at: "1970-01-01", b: "1970-01-01" }, { at: ["Date", 0], b: "1970-01-01" }],
      [{ fields: { at: "date" } }, { b: 1 }, { b: 1 }],
      [{ values: "date" }, { k: "1970-01-01" }, { k: ["Date", 0] }],
      // A value of another type is passed unchanged.
      [{ items: "date" }, "soon", "soon"],
      [{ fields: { at: "date" } }, ["soon"], ["soon"]],
    ])("the type %j converts %j as the signature says", async (type, sent, seen) => {
      expect(await runInside(type, sent)).toMatchObject({ outcome: "success", result: seen });
    });

    it.each<[ParamType, unknown, string]>([
      [{ items: "date" }, ["1970-01-01", "soon"], 'The argument "x[1]" does not fit the type Date: "so…" (4 characters)'],
      [{ fields: { at: { items: "bytes" } } }, { at: ["!"] }, 'The argument "x.at[0]" does not fit the type Uint8Array: character 1'],
      [{ values: "date" }, { [secret]: "soon" }, 'The argument "x.*" does not fit the type Date: "so…" (4 characters)'],
    ])("the type %j fails the run for %j, and the error names the place of the fault", async (type, sent, fault) => {
      const { outcome, error } = await runInside(type, sent);
      expect([outcome, error?.name]).toEqual(["failure", "ArgumentError"]);
      expect(error?.message).toContain(fault);
    });
  });

  describe("a main function that a call returns", () => {
    const wrap = "const wrap = (f) => (...args) => f(...args);\n";
    it.each([
      ["a wrapped function", `${wrap}export const main = wrap(async (a, b) => [a, b]);`, ["a", "b"], [1, 2]],
      ["a wrapped pattern", `${wrap}export const main = wrap(async ({ a, b }) => [a, b]);`, null, [1, 2]],
      ["a bound function", "function run(a, b) { return [a, b]; }\nexport const main = run.bind(null);", ["a", "b"], [1, 2]],
      ["a function with a bound argument", "function run(x, b) { return [x, b]; }\nexport const main = run.bind(null, 0);", ["b"], [0, 2]],
      [
        "a bound method",
        "class S { run(all) { return [this.n, all]; } n = 5 }\nconst s = new S();\nexport const main = s.run.bind(s);",
        null,
        [5, { a: 1, b: 2 }],
      ],
      [
        "a wrapper with arguments",
        "const wrap = (f) => function () { return f.apply(this, arguments); };\nexport const main = wrap((all) => all);",
        null,
        { a: 1, b: 2 },
      ],
      ["a wrapper with names", "const wrap = (f) => (a, b) => f(b, a);\nexport const main = wrap((x, y) => [x, y]);", null, [2, 1]],
      ["a proxy", "export const main = new Proxy(function (all) { return all; }, {});", null, { a: 1, b: 2 }],
      ["a generator", `${wrap}export const main = wrap(async function* (a, b) { yield String(a); yield String(b); });`, ["a", "b"], "12"],
    ])("%s gets the arguments", async (_, code, params, seen) => {
      expect(await runner.run({ code, args: { a: 1, b: 2 }, params })).toMatchObject({ outcome: "success", result: seen });
    });

    it("a wrapper around a function without parameters gets no arguments", async () => {
      expect(await runner.run({ code: `${wrap}export const main = wrap((...all) => all.length);`, args: {}, params: null })).toMatchObject({
        result: 0,
      });
    });

    it("a wrapped preprocessor gets the event", async () => {
      const code = `${wrap}export const preprocessor = wrap(async (event) => ({ n: event.body.n }));\nexport const main = (n) => n;`;
      const args = { event: { kind: "webhook", raw_string: '{"n":1}', query: {}, headers: {} } };
      expect(await runner.run({ code, args, params: ["n"], preprocessor: { params: ["event"] } })).toMatchObject({ result: 1 });
    });
  });
});

describe("typed arguments of a python3 script", () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner("python3");
  });
  afterAll(() => runner.close());

  const head = "from datetime import datetime, date, time\nfrom typing import Annotated, Optional, Union\nimport functools\n";
  const see =
    'def see(x):\n    return [type(x).__name__, x.isoformat() if hasattr(x, "isoformat") else x.hex() if hasattr(x, "hex") else x]\n';
  const run = (type: string, sent: unknown) =>
    runner.run({ code: `${head}${see}def main(x: ${type}):\n    return see(x)\n`, args: sent === undefined ? {} : { x: sent } });

  const good: Good[] = [
    { type: "datetime", sent: "2026-01-02T03:04:05Z", seen: ["datetime", "2026-01-02T03:04:05+00:00"] },
    { type: "datetime", sent: "2026-01-02", seen: ["datetime", "2026-01-02T00:00:00"] },
    { type: "date", sent: "2026-01-02", seen: ["date", "2026-01-02"] },
    { type: "time", sent: "03:04:05", seen: ["time", "03:04:05"] },
    { type: "time", sent: "03:04:05Z", seen: ["time", "03:04:05+00:00"] },
    { type: "bytes", sent: "aGk=", seen: ["bytes", "6869"] },
    { type: "bytes", sent: "_-8", seen: ["bytes", "ffef"] },
    { type: "bytes", sent: "", seen: ["bytes", ""] },
    { type: "bytearray", sent: "aGk=", seen: ["bytearray", "6869"] },
    { type: "Optional[bytearray]", sent: "aG\nk", seen: ["bytearray", "6869"] },
    { type: "Optional[time]", sent: null, seen: ["NoneType", null] },
    { type: "datetime", sent: undefined, seen: ["NoneType", null] },
    { type: "Union[datetime, int]", sent: 5, seen: ["int", 5] },
    { type: "Union[datetime, str]", sent: "soon", seen: ["str", "soon"] },
  ];
  it.each(good)("the argument $sent is converted to the type $type of the signature", async ({ type, sent, seen }) => {
    expect(await run(type, sent)).toMatchObject({ outcome: "success", result: seen });
  });

  const bad: Bad[] = [
    { type: "datetime", sent: "", fault: `datetime: an empty text ${date}` },
    { type: "datetime", sent: "soon", fault: `datetime: "so…" (4 characters) ${date}` },
    { type: "datetime", sent: "2026-02-30", fault: `datetime: "2026-…" (10 characters) ${date}` },
    { type: "datetime", sent: 5, fault: "datetime: it is a value of type int and no date and time in ISO 8601." },
    { type: "Optional[datetime]", sent: {}, fault: "datetime: it is a value of type dict and no date and time in ISO 8601." },
    { type: "date", sent: "2026-13-01", fault: 'date: "2026-…" (10 characters) is no date in ISO 8601.' },
    { type: "time", sent: "25:00", fault: 'time: "25…" (5 characters) is no time in ISO 8601.' },
    { type: "bytes", sent: "a", fault: 'bytes: "…" (1 characters) is no base64.' },
    { type: "bytes", sent: "aGk=aGk=", fault: 'bytes: "aGk=…" (8 characters) is no base64.' },
    { type: "bytes", sent: secret, fault: 'bytes: "c2VjcmV0LX…" (21 characters) is no base64.' },
    { type: "bytearray", sent: [1], fault: "bytearray: it is a value of type list and no base64." },
  ];
  it.each(bad)(
    "the argument $sent, which does not fit the type $type, fails the run once, and the error names the fault",
    async ({ type, sent, fault }) => {
      const { outcome, error, logs } = await run(type, sent);
      expect([outcome, error?.name, logs.text]).toEqual(["failure", "ArgumentError", ""]);
      expect(error?.message).toBe(`The argument "x" does not fit the type ${fault}`);
      if (typeof sent === "string" && sent.trim() !== "") expect(JSON.stringify(error)).not.toContain(sent.length > 3 ? sent : `"${sent}"`);
    },
  );

  describe("in lists and dictionaries", () => {
    const row = "from typing import TypedDict, Sequence\nclass Row(TypedDict, total=False):\n    at: date\n    days: 'list[date]'\n";
    const deep =
      "def deep(x):\n    if isinstance(x, list):\n        return [deep(i) for i in x]\n    if isinstance(x, dict):\n        return {k: deep(v) for k, v in x.items()}\n    return x if x is None or isinstance(x, str) else type(x).__name__\n";
    const runInside = (type: string, sent: unknown) =>
      runner.run({ code: `${head}${row}${deep}def main(x: ${type}):\n    return deep(x)\n`, args: { x: sent } });

    it.each([
      ["list[datetime]", ["2026-01-02", null], ["datetime", null]],
      ["Optional[Sequence[list[bytes]]]", [["aGk="], []], [["bytes"], []]],
      ["dict[str, date]", { k: "2026-01-02" }, { k: "date" }],
      ["'list[Optional[time]]'", ["03:04", null], ["time", null]],
      ["Row", { at: "2026-01-02", days: ["2026-01-03"], other: "2026-01-02" }, { at: "date", days: ["date"], other: "2026-01-02" }],
      ["list[Union[datetime, str]]", ["2026-01-02"], ["2026-01-02"]],
      ["list", ["2026-01-02"], ["2026-01-02"]],
      ["list[date]", { k: "2026-01-02" }, { k: "2026-01-02" }],
      ["dict[str, date]", "soon", "soon"],
    ])("the type %s converts %j as the signature says", async (type, sent, seen) => {
      expect(await runInside(type, sent)).toMatchObject({ outcome: "success", result: seen });
    });

    it.each([
      [
        "list[date]",
        ["2026-01-02", "soon"],
        'The argument "x[1]" does not fit the type date: "so…" (4 characters) is no date in ISO 8601.',
      ],
      [
        "dict[str, list[bytes]]",
        { [secret]: ["a"] },
        'The argument "x.*[0]" does not fit the type bytes: "…" (1 characters) is no base64.',
      ],
      ["Row", { at: "soon" }, 'The argument "x.at" does not fit the type date: "so…" (4 characters) is no date in ISO 8601.'],
    ])("the type %s fails the run for %j, and the error names the place of the fault", async (type, sent, message) => {
      expect(await runInside(type, sent)).toMatchObject({ outcome: "failure", error: { name: "ArgumentError", message } });
    });
  });

  describe("a main function that a call returns", () => {
    const run3 = "def run(a, b: datetime, c=3):\n    return [a, b.year, c]\n";
    const wrapped =
      "def wrap(f):\n    @functools.wraps(f)\n    def inner(*args, **kwargs):\n        return f(*args, **kwargs)\n    return inner\n";
    const listed = "def wrap(f):\n    def inner(*args):\n        return f(*args)\n    return inner\n";
    const keyed = "def wrap(f):\n    def inner(**kwargs):\n        return f(**kwargs)\n    return inner\n";
    const args = { a: 1, b: "2026-01-02", stray: 4 };
    it.each([
      ["functools.partial", `${run3}main = functools.partial(run, 0)`, ["b", "c"], args, [0, 2026, 3]],
      ["functools.partial with a keyword", `${run3}main = functools.partial(run, c=5)`, ["a", "b", "c"], args, [1, 2026, 5]],
      ["a wrapper", `${wrapped}${run3}main = wrap(run)`, ["a", "b", "c"], args, [1, 2026, 3]],
      ["a decorator", `${wrapped}@wrap\ndef main(a, b: date):\n    return [a, b.year]`, ["a", "b"], args, [1, 2026]],
      [
        "a decorator that hides the parameters",
        `${listed}@wrap\ndef main(a, b, c=3):\n    return [a, b, c]`,
        ["a", "b", "c"],
        args,
        [1, "2026-01-02", 3],
      ],
      [
        "a decorator with keywords",
        `${keyed}@wrap\ndef main(a, b, c=3):\n    return [a, b, c]`,
        ["a", "b", "c"],
        args,
        [1, "2026-01-02", 3],
      ],
      ["a wrapper of an unknown function", `${listed}main = wrap(lambda all: sorted(all))`, null, args, ["a", "b", "stray"]],
      [
        "a bound method",
        "class S:\n    def run(self, a, b: 'datetime'):\n        return [a, b.year]\nmain = S().run",
        null,
        args,
        [1, 2026],
      ],
      [
        "an object that can be called",
        "class S:\n    def __call__(self, a, b: 'Optional[date]'):\n        return [a, b.year]\nmain = S()",
        null,
        args,
        [1, 2026],
      ],
      ["a lambda", "main = lambda a, c=3: [a, c]", ["a", "c"], args, [1, 3]],
    ])("%s gets the arguments", async (_, code, params, sent, seen) => {
      expect(await runner.run({ code: `${head}${code}\n`, args: sent, params })).toMatchObject({ outcome: "success", result: seen });
    });
  });
});
