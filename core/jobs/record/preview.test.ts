import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { buildArgsPreview, buildEndPreviews, estimateHeadBytes } from "./head-size.ts";
import { type Job, jobSchema } from "./job.ts";
import { cutPreview, getPreviews, listHiddenArgs, listHiddenArgsOfStep, previewArgs } from "./preview.ts";

const inHead = (value: unknown) => ({ in: "head", json: JSON.stringify(value) }) as const;
const outside = { in: "item", ref: "args#1" } as const;
const secret = "correct horse";

const aJob = (fields: Partial<Job> = {}): Job =>
  jobSchema.parse({
    id: "00000000-0000-7000-8000-000000000001",
    workspace: "ops",
    kind: "script",
    createdBy: "ann",
    email: "ann@example.com",
    permissionedAs: "u/ann",
    superAdmin: false,
    createdAtMs: 1.8e12,
    trigger: "webhook",
    tag: "bun",
    timeoutS: 300,
    args: inHead({}),
    attempt: 1,
    losses: 0,
    logChars: 0,
    retention: "short",
    expiresAtMs: 1.9e12,
    state: "succeeded",
    endedAtMs: 1.8e12,
    result: inHead(1),
    erased: false,
    ...fields,
  });

describe("a preview of arguments", () => {
  it("has at most 200 bytes and none of the hidden values", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (args, name, inner) => {
        const text = previewArgs({ [name]: { inner, secret }, ...args, [name]: [secret] }, [name]);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.valuePreviewBytes);
        expect(text).not.toContain(secret);
      }),
    );
  });

  it("is the JSON text of the arguments if that is short", () => {
    const args = { a: [1, null, true, "é"], b: { c: {} }, big: 12345678901234567890n };
    expect(previewArgs(args, [])).toBe('{"a":[1,null,true,"é"],"b":{"c":{}},"big":12345678901234567890}');
  });

  it("hides references at any depth", () => {
    expect(previewArgs({ a: { b: ["$var:f/ops/key"] }, c: "$res:f/ops/db", d: "$5" }, [])).toBe('{"a":{"b":["***"]},"c":"***","d":"$5"}');
  });

  it("writes the beginning of a large value alone", () => {
    let read = 0;
    const items = Array.from({ length: 10_000 }, (_, index) => ({
      get value() {
        read += 1;
        return index;
      },
    }));
    expect(previewArgs({ items }, []).endsWith("…")).toBe(true);
    expect(read).toBeLessThan(100);
  });

  it("ends between two characters", () => {
    const text = cutPreview("é€😀".repeat(50));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.valuePreviewBytes);
    expect(text).toMatch(/^(é€😀)+(é|é€)?…$/u);
  });
});

it.each<[string, object, string[]]>([
  ["a password", { type: "string", format: "password" }, ["x"]],
  ["a field that forms hide", { type: "string", password: true }, ["x"]],
  ["a password inside an object", { type: "object", properties: { key: { password: true } } }, ["x"]],
  ["a password in one of several forms", { oneOf: [{ type: "null" }, { items: { format: "password" } }] }, ["x"]],
  ["a resource", { type: "object", format: "resource-postgresql" }, ["x"]],
  ["a field that is called password", { type: "object", properties: { password: { type: "string" } } }, []],
])("the hidden arguments of a schema contain %s", (_, x, hidden) => {
  expect(listHiddenArgs({ properties: { x, other: { type: "string" } } })).toEqual(hidden);
});

it("a schema with many secret arguments has no list of them, so its jobs have no preview of arguments", () => {
  const names = Array.from({ length: 50 }, (_, index) => [`argument_${index}`, { password: true }]);
  expect(listHiddenArgs({ properties: Object.fromEntries(names) })).toBeUndefined();
});

it("a step has a preview of its arguments only if its flow hides none", () => {
  expect(listHiddenArgsOfStep({ hiddenArgs: [] }, ["x"])).toEqual(["x"]);
  expect(listHiddenArgsOfStep({ hiddenArgs: ["key"] }, [])).toBeUndefined();
  expect(listHiddenArgsOfStep({}, [])).toBeUndefined();
});

describe("the previews of a job", () => {
  it.each<[string, Partial<Job>, object]>([
    ["those of small values", { hiddenArgs: ["key"], args: inHead({ key: secret, n: 1 }) }, { args_preview: '{"key":"***","n":1}' }],
    ["the stored one of large arguments", { hiddenArgs: [], args: outside, argsPreview: '{"a…' }, { args_preview: '{"a…' }],
    ["redacted values", { hiddenArgs: [], args: inHead({ a: secret }), redactedArgs: inHead({ a: "**" }) }, { args_preview: '{"a":"**"}' }],
    ["none of arguments whose secrets are not known", { args: inHead({ key: secret }) }, {}],
    ["none of an event for a preprocessor", { hiddenArgs: [], args: inHead({ event: secret }), preprocess: "wanted" }, {}],
  ])("are %s", (_, fields, expected) => {
    expect(getPreviews(aJob(fields))).toEqual({ result_preview: "1", ...expected });
  });

  it("are none after its erasure", () => {
    expect(getPreviews(aJob({ hiddenArgs: [], args: inHead({ a: 1 }), erased: true }))).toEqual({});
  });

  it("never show a result that has a redacted copy", () => {
    const redacted = { result: inHead(secret), redactedResult: outside } as Partial<Job>;
    expect(getPreviews(aJob(redacted))).toEqual({});
    expect(getPreviews(aJob({ ...redacted, resultPreview: '"**"' } as Partial<Job>))).toEqual({ result_preview: '"**"' });
  });
});

describe("the stored previews of a job", () => {
  const args = { text: "a".repeat(900) };

  it("leave its head below one write unit", () => {
    for (let chars = 1; chars < 400; chars += 1) {
      const job = aJob({ hiddenArgs: [], args: outside, path: `f/${"p".repeat(chars)}` });
      const created = { ...job, ...buildArgsPreview(job, outside, args) };
      const ended = { ...created, ...buildEndPreviews(created, { result: outside }, JSON.stringify(args)) } as Job;
      if (estimateHeadBytes(job) < 1000) expect(estimateHeadBytes(ended)).toBeLessThanOrEqual(1000);
    }
  });

  it("are shorter for a result that is in the head", () => {
    const job = aJob({ hiddenArgs: [], args: outside, path: `f/${"p".repeat(150)}` });
    const created = { ...job, ...buildArgsPreview(job, outside, args) };
    expect(Buffer.byteLength(created.argsPreview ?? "")).toBeGreaterThan(100);
    const result = inHead("r".repeat(400));
    const { argsPreview = "" } = buildEndPreviews(created, { result }, result.json);
    expect(argsPreview.length).toBeLessThan((created.argsPreview ?? "").length);
  });
});
