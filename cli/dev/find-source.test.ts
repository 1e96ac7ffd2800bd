import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleScript } from "../codebases/bundle-script.ts";
import type { PreviewItem } from "../preview/read-item.ts";
import type { Project } from "../project/project.ts";
import { findSource } from "./find-source.ts";

let project: Pick<Project, "root" | "options">;
beforeAll(() => {
  project = { root: mkdtempSync(join(tmpdir(), "svc-find-source-")), options: {} };
  for (const folder of ["f/a/two.flow", "lib"]) mkdirSync(join(project.root, folder), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project.root, file), text);
});
afterAll(() => rmSync(project.root, { recursive: true, force: true }));

const flowYaml =
  "value:\n  modules:\n    - id: b\n      value: { type: rawscript, language: bun, content: '!inline first.ts', input_transforms: {} }\n";
const files = {
  "f/a/x.node.ts": 'import { tax } from "../../lib/tax";\nexport const main = () => tax();\n',
  "f/a/snake.py": "def main():\n  raise Exception()\n",
  "lib/tax.ts": "\nexport function tax() {\n  throw new Error('x');\n}\n",
  "f/a/two.flow/flow.yaml": flowYaml,
  "f/a/two.flow/first.ts": "throw 1;\n",
};

const anItem = (kind: "script" | "flow", path: string, own: (keyof typeof files)[], more: object = {}): PreviewItem => ({
  kind,
  path,
  argumentsFile: "",
  imports: new Map(),
  projectFiles: new Map(Object.entries(files)),
  local: {
    item: { kind, path, value: {} },
    digest: { digest: "" },
    files: new Map(own.map((file) => [file, files[file]])),
    ...more,
  },
});

describe("findSource", () => {
  it("finds the file of a script by its path, also of one that it imports", () => {
    const item = anItem("script", "f/a/x", ["f/a/x.node.ts"]);
    expect(findSource(project, item, "Error\n    at main (f/a/x.ts:2:27)")).toEqual({
      file: "f/a/x.node.ts",
      line: 2,
      column: 27,
      text: "export const main = () => tax();",
    });
    expect(findSource(project, item, 'File "f/a/snake.py", line 2, in main')).toEqual({
      file: "f/a/snake.py",
      line: 2,
      text: "  raise Exception()",
    });
    // A script that is only in the workspace has no local file.
    expect(findSource(project, item, "at f/a/elsewhere.ts:1:1\n    at main (f/a/x.ts:1:1)")).toMatchObject({ file: "f/a/x.node.ts" });
    expect(findSource(project, item, "Error: no place")).toBeUndefined();
  });

  it("finds the file of a flow's inline script by its step", () => {
    const item = anItem("flow", "f/a/two", ["f/a/two.flow/flow.yaml", "f/a/two.flow/first.ts"]);
    expect(findSource(project, item, "at f/a/two/b.ts:1:1")).toEqual({
      file: "f/a/two.flow/first.ts",
      line: 1,
      column: 1,
      text: "throw 1;",
    });
    expect(findSource(project, item, "at f/a/two/c.ts:1:1")).toBeUndefined();
  });

  it("finds the file of a line of a bundle by its source map, and nothing without one", async () => {
    const script = { kind: "script", path: "f/a/x", language: "nodejs", content: "", value: {} } as const;
    const bundle = await bundleScript(project.root, script, "f/a/x.node.ts", { relative_path: "." });
    const lines = Buffer.from(bundle.bytes).toString().split("\n");
    const line = lines.findIndex((text) => text.includes("throw new Error")) + 1;
    const error = `Error: x\n    at tax (main.js:${line}:9)`;
    const item = anItem("script", "f/a/x", ["f/a/x.node.ts"], { bundle });
    expect(findSource(project, item, error)).toMatchObject({ file: "lib/tax.ts", line: 3, text: "  throw new Error('x');" });
    expect(
      findSource(project, anItem("script", "f/a/x", ["f/a/x.node.ts"], { bundle: { ...bundle, sourceMap: undefined } }), error),
    ).toBeUndefined();
  });
});
