import { describe, expect, it } from "vitest";
import { parseFiles } from "./parse-files.ts";

const parse = (files: Record<string, string>) =>
  parseFiles(new Map(Object.entries(files)), { defaultTs: "bun", nonDottedPaths: false, fileTypes: {} });

const flow = (reference: string) =>
  `summary: ''\nvalue:\n  modules:\n    - id: a\n      value:\n        type: rawscript\n        language: bash\n        content: ${reference}\n        input_transforms: {}\n`;

describe("a reference to a file", () => {
  it.each<[string, string, Record<string, string>, number, RegExp]>([
    ["that does not exist", "'!inline gone.sh'", {}, 8, /^The file f\/t\/a\.flow\/gone\.sh does not exist\. It is the content of a\.$/],
    ["as a tag that does not exist", "!inline gone.sh", {}, 8, /does not exist/],
    ["of another item", "'!inline ../b.sh'", { "f/t/b.sh": "echo\n" }, 8, /^The file f\/t\/b\.sh belongs to another item\./],
    ["outside of the workspace", "'!inline ../../../../etc/passwd'", {}, 8, /does not exist/],
  ])("is a problem with its line: one %s", (_, reference, others, line, message) => {
    const { problems } = parse({ "f/t/a.flow/flow.yaml": flow(reference), ...others });
    expect(problems).toEqual([{ file: "f/t/a.flow/flow.yaml", line, column: expect.any(Number), message: expect.stringMatching(message) }]);
  });

  it.each(["'!inline a.sh'", "!inline a.sh"])("may be a text or a tag: %s", (reference) => {
    const { items, problems } = parse({ "f/t/a.flow/flow.yaml": flow(reference), "f/t/a.flow/a.sh": "echo a\n" });
    expect(problems).toEqual([]);
    expect(items).toMatchObject([{ value: { value: { modules: [{ value: { content: "echo a\n" } }] } } }]);
  });

  it("is refused in a field that cannot have one, which would save the reference as the value", () => {
    const { problems } = parse({ "f/t/a.variable.yaml": "is_secret: true\nvalue: '!inline secret.txt'\n" });
    expect(problems).toMatchObject([{ line: 2, column: 1, message: expect.stringContaining("value: this field cannot refer to a file") }]);
  });

  it("to the lock of another script is a problem", () => {
    const { problems } = parse({
      ...{ "f/t/a.ts": "", "f/t/a.script.yaml": "summary: ''\nlock: '!inline f/t/b.script.lock'\n" },
      ...{ "f/t/b.ts": "", "f/t/b.script.yaml": "summary: ''\n", "f/t/b.script.lock": "x\n" },
    });
    expect(problems).toMatchObject([{ file: "f/t/a.script.yaml", line: 2, message: expect.stringContaining("belongs to another item") }]);
  });
});

it("refuses a tag without a meaning, whose value would be read without it", () => {
  expect(parse({ "f/t/a.variable.yaml": "value: !secret x\n" }).problems).toMatchObject([
    { line: 1, message: expect.stringContaining("!secret") },
  ]);
});
