import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

const MB = 1024 * 1024;

describe("arguments named like parts of every object", () => {
  const JAVASCRIPT = `export function main({ ...all }) {
    return [Object.keys(all), ({}).polluted ?? "clean", Object.getOwnPropertyDescriptor(all, "__proto__")?.value];
  }`;
  const args = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"text","hasOwnProperty":null}';
  it.each([
    ["bun", JAVASCRIPT],
    ["nodejs", JAVASCRIPT],
    ["python3", `def main(**all):\n    return [list(all), "clean", all["__proto__"]]\n`],
  ])("the arguments arrive in %s as data", async (language, content) => {
    const path = `f/t/names_${language}`;
    await ws.saveScript({ path, language, content });
    const answer = await ws.call("POST", `jobs/run_wait_result/p/${path}`, { body: args });
    expect(answer.json).toEqual([["__proto__", "constructor", "toString", "hasOwnProperty"], "clean", { polluted: true }]);
    const id = answer.headers.get("x-svc-job-id");
    expect((await ws.get(`jobs_u/get_args/${id}`)).text).toBe(args);
  });

  it("the arguments of main itself are passed by name", async () => {
    await ws.saveScript({
      path: "f/t/ctor",
      language: "bun",
      content: "export const main = (constructor: unknown, toString: unknown = 'default') => [constructor, toString];",
    });
    expect((await ws.runWait("f/t/ctor", { constructor: 1 })).json).toEqual([1, "default"]);
  });

  it("the arguments of a preview, and those in a schema, arrive as well", async () => {
    const content = `def main(**all):\n    return all\n`;
    const body = `{"language":"python3","content":${JSON.stringify(content)},"args":${args}}`;
    expect((await ws.call("POST", "jobs/run_wait_result/preview", { body })).text).toBe(args);
    const script = `{"path":"f/t/odd_schema","summary":"","language":"bash","content":"","schema":{"properties":{"__proto__":{"type":"string"}}}}`;
    expectStatus(await ws.call("POST", "scripts/create", { body: script }), 201);
    expect((await ws.get("scripts/get/p/f/t/odd_schema")).text).toContain('{"properties":{"__proto__":{"type":"string"}}}');
  });
});

describe("arguments with unusual values", () => {
  it("values arrive unchanged, and half a surrogate pair becomes U+FFFD", async () => {
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

  it("deeply nested values are rejected or run, and never cause an internal error", async () => {
    await ws.saveScript({ path: "f/t/any", language: "bash", content: "echo any" });
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
      { ...common, big: { big: 2 ** 64 }, date: "1970-01-01T00:00:00+00:00", decimal: 1.5, keys: { 1: "yes", null: "none" } },
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
  ])("results of every kind are converted in %s by its documented rule", async (language, content, expected) => {
    const path = `f/t/results_${language}`;
    await ws.saveScript({ path, language, content });
    const got: Record<string, unknown> = {};
    for (const kind of Object.keys(expected)) got[kind] = (await ws.runWait(path, { kind })).json;
    expect(got).toEqual(expected);
  });

  it("the result of bash is its last line, result.out or result.json", async () => {
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

  it("a result larger than a reply is returned as a link", async () => {
    const content = "export const main = () => ['x'.repeat(6 * 1024 * 1024)];";
    await ws.saveScript({ path: "f/t/large_result", language: "bun", content });
    const answer = expectStatus(await ws.runWait("f/t/large_result"), 200);
    const { url, size } = answer.json as { s3: string; url: string; size: number };
    expect(size).toBe(6 * MB + 4);
    expect(await (await fetch(url)).text()).toHaveLength(size);
  });
});
