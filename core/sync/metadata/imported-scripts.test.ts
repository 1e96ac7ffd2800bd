import { describe, expect, it } from "vitest";
import { listImportedScripts, orderByImports } from "./imported-scripts.ts";
import type { Source } from "./used-lists.ts";

const script = (...imports: string[]): Source => ({ language: "bun", source: imports.map((path) => `import "${path}";`).join("\n") });
const python = (source: string): Source => ({ language: "python3", source });

describe("listImportedScripts", () => {
  const scripts = new Map<string, Source>([
    ["f/t/a", script("./b.ts", "left-pad", "/f/t/none.ts")],
    ["f/t/b", script("/f/x/c", "./a.ts")],
    ["f/x/c", script()],
    ["f/t/py", python("from f.t.tools import clean\nfrom . import helper\n")],
    ["f/t/tools", python("")],
    ["f/t/helper", python("import idna")],
    ["f/t/bash", { language: "bash", source: 'source "./b"' }],
  ]);
  it.each([
    ["f/t/a", ["f/t/b", "f/x/c"]],
    ["f/t/b", ["f/t/a", "f/x/c"]],
    ["f/t/py", ["f/t/helper", "f/t/tools"]],
    ["f/t/bash", []],
  ])("lists what %s imports: %j", (path, expected) => {
    expect(listImportedScripts(path, scripts.get(path) as Source, scripts)).toEqual(expected);
  });

  it("starts relative imports of an inline script at its module", () => {
    expect(listImportedScripts("f/t/flow/step", script("../b.ts"), scripts)).toEqual(["f/t/a", "f/t/b", "f/x/c"]);
  });
});

describe("orderByImports", () => {
  it.each<[string, Record<string, Source>, { groups: string[][]; again: string[] }]>([
    ["nothing", {}, { groups: [], again: [] }],
    ["scripts without imports at once", { "f/a": script(), "f/b": script("left-pad") }, { groups: [["f/a", "f/b"]], again: [] }],
    [
      "imports before their importers",
      { "f/t/a": script("./b.ts", "./c.ts"), "f/t/b": script("./c.ts"), "f/t/c": script(), "f/t/d": script() },
      { groups: [["f/t/c", "f/t/d"], ["f/t/b"], ["f/t/a"]], again: [] },
    ],
    [
      "a cycle, of which one script is saved again",
      { "f/t/a": script("./b.ts"), "f/t/b": script("./a.ts") },
      { groups: [["f/t/b"], ["f/t/a"]], again: ["f/t/b"] },
    ],
    ["a script that imports itself", { "f/t/a": script("./a.ts") }, { groups: [["f/t/a"]], again: [] }],
  ])("orders %s", (_, scripts, expected) => {
    expect(orderByImports(new Map(Object.entries(scripts)))).toEqual(expected);
  });
});
