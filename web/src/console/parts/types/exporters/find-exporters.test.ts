import { expect, it } from "vitest";
import { PageTypes } from "../page-types.ts";
import { exportsName, findExporters } from "./find-exporters.ts";

const texts: Readonly<Record<string, string>> = {
  "f/a/half": "// half\nexport const double = 1;",
  "f/a/lib": "export async function half(n: number) {}",
  "f/a/other": "export const halfOf = 1;",
  "f/a/bash": "export half=1",
  "f/a/comment": "// half of it\nexport class halfClass {}",
  ...Object.fromEntries(["a", "b", "c"].map((name) => [`f/use/${name}`, 'import { half } from "./lib";'])),
};

function createScripts() {
  const requests: string[] = [];
  return {
    requests,
    search: (name: string) => {
      requests.push(`search ${name}`);
      const found = Object.entries(texts).filter(([path, text]) => path.includes(name) || text.includes(name));
      return Promise.resolve(
        found.map(([path, text]) => ({
          path,
          matches: path.includes(name) ? [{ field: "path", text: path }] : [{ field: "source", text: text.split("\n")[0] ?? "" }],
        })),
      );
    },
    load: (path: string) => {
      requests.push(path);
      return Promise.resolve(texts[path]);
    },
  };
}

it("scripts that export a name or a longer one are found, those first whose export is shown by the search", async () => {
  const scripts = createScripts();
  const found = await findExporters("half", "f/b/edited", scripts);
  expect([[...found.texts.keys()], found.isComplete]).toEqual([["f/a/lib", "f/a/other", "f/a/comment"], false]);
  expect(scripts.requests).not.toContain("f/use/a");
});

it("the edited script exports nothing to itself", async () => {
  expect([...(await findExporters("half", "f/a/lib", createScripts())).texts.keys()]).not.toContain("f/a/lib");
});

it.each(["ha", "1half", "a b", ""])("nothing is searched for %j", async (name) => {
  const scripts = createScripts();
  await findExporters(name, undefined, scripts);
  expect(scripts.requests).toEqual([]);
});

it.each(["const", "let", "class", "type", "interface", "enum", "function", "default function", "abstract class", "async function*"])(
  "a name is exported by %s",
  (word) => {
    const text = `export ${word} $nameOf {}`;
    expect([exportsName(text, "$nameOf"), exportsName(text, "$name"), exportsName(text, "$name", true)]).toEqual([true, false, true]);
  },
);

it("a page offers the exporters of a name once they are loaded, and searches a longer name only if it may find more", async () => {
  const scripts = createScripts();
  const types = new PageTypes(scripts);
  const loaded = new Promise<void>((resolve) => types.join(resolve));
  expect(types.listExporters("dou", "f/b/edited")).toEqual([]);
  await loaded;
  expect(types.listExporters("double", "f/b/edited")).toEqual(["f/a/half"]);
  expect(types.listExporters("double", "f/a/half")).toEqual([]);
  expect(scripts.requests.filter((request) => request.startsWith("search"))).toEqual(["search dou"]);
});
