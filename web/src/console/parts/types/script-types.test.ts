import { describe, expect, it } from "vitest";
import { listTypeFiles } from "../../../../type-files.ts";
import { ScriptTypes } from "./script-types.ts";

const types = new ScriptTypes(listTypeFiles());
types.setContext({
  resourceTypes: [
    {
      name: "postgresql",
      schema: {
        type: "object",
        properties: { host: { type: "string", description: "The server." }, port: { type: "integer" } },
        required: ["host"],
      },
    },
    { name: "response", schema: { type: "object", properties: { mine: { type: "string" } } } },
  ],
});

/** Splits a source at its mark `|`. */
function at(marked: string, language = "bun") {
  const offset = marked.indexOf("|");
  return { source: { language, text: marked.replace("|", "") }, at: offset };
}
const labelsOf = (marked: string, language?: string) =>
  types.answer({ kind: "complete", ...at(marked, language) })?.options.map(({ label }) => label) ?? [];
const checked = (text: string, path?: string) => types.answer({ kind: "check", source: { language: "bun", text, path } });
const problemsOf = (text: string, language = "bun") => types.answer({ kind: "check", source: { language, text } }).problems;
const messagesOf = (text: string, language?: string) => problemsOf(text, language).map(({ message }) => message);

describe("the types of a script", () => {
  it("complete the functions of our client, with what their comments say", () => {
    const marked = 'import * as svc from "svc-client";\nsvc.getV|';
    expect(types.answer({ kind: "complete", ...at(marked) })).toMatchObject({
      from: marked.indexOf("getV"),
      options: expect.arrayContaining([expect.objectContaining({ label: "getVariable" })]),
    });
    expect(types.answer({ kind: "describe", ...at(marked), name: "getVariable" })).toEqual({
      signature: "function getVariable(path: string): Promise<string>",
      text: expect.stringContaining("Returns the value of a variable"),
    });
  });

  it("describe the name at a place", () => {
    expect(types.answer({ kind: "hover", ...at("const answer = 42;\nconsole.log(ans|wer);") })).toEqual({
      ...{ from: 31, to: 37, text: "" },
      signature: "const answer: 42",
    });
    expect(types.answer({ kind: "hover", ...at("const answer = 42; |") })).toBeUndefined();
  });

  it("describe the parameters of the function that is called at a place", () => {
    const called = (marked: string) => types.answer({ kind: "signature", ...at(marked) });
    const marked = 'import * as svc from "svc-client";\nsvc.getVariable(|)';
    expect(called(marked)).toMatchObject({
      from: marked.indexOf("|"),
      before: "getVariable(",
      parameters: [{ text: "path: string" }],
      after: "): Promise<string>",
      active: 0,
      text: expect.stringContaining("Returns the value of a variable"),
      signatures: 1,
    });
    expect(called("Math.pow(1, |)")).toMatchObject({ active: 1, parameters: [{}, { comment: expect.stringContaining("exponent") }] });
    expect(called('"a".replace("a", |')?.signatures).toBe(4);
    expect(called("const a = 1; |")).toBeUndefined();
  });

  it("find an error with its place", () => {
    const text = "export function main(name: string) {\n  const count: number = name;\n  return count;\n}\n";
    const from = text.indexOf("count");
    expect(problemsOf(text)).toEqual([
      { from, to: from + "count".length, severity: "error", message: "Type 'string' is not assignable to type 'number'." },
    ]);
    expect(problemsOf("export function main( {")[0]).toMatchObject({ severity: "error" });
  });

  it("know resource types as scripts name them, and never change a type of the language", () => {
    const main = (type: string, body: string) => `export function main(a: ${type}) { ${body} }`;
    for (const type of ["Postgresql", "RT.Postgresql", 'Resource<"postgresql">']) {
      expect(labelsOf(main(type, "a.|"))).toEqual(["host", "port"]);
      expect(messagesOf(main(type, "return a.hostt;"))).toEqual([expect.stringContaining("Did you mean 'host'?")]);
    }
    expect(messagesOf(main("RT.Response", "return a.mine;"))).toEqual([]);
    expect(messagesOf(main("Response", "return a.json();"))).toEqual([]);
    expect(messagesOf(main('Resource<"other">', "return a.anything;"))).toEqual([]);
    expect(messagesOf(main("Unheard", ""))).toEqual(["Cannot find name 'Unheard'."]);
  });

  it("allow everything of a module whose types are not here", () => {
    const text = `import lodash, { chunk, type Dictionary } from "lodash@4";
import { z } from "npm:zod";
import { helper } from "./helper.ts";
import "https://deno.land/x/a.ts";
export function main(a: Dictionary<string>, b: z.infer<typeof z>) { return [lodash.any(a), chunk(b), helper.x, z.object({})]; }`;
    expect(messagesOf(text)).toEqual([]);
  });

  it("know the packages of a version, also with a version in the import", () => {
    const packages = {
      "node_modules/a/package.json": JSON.stringify({ name: "a", exports: { ".": { types: "./a.d.mts" }, "./sub": "./sub.mjs" } }),
      "node_modules/a/a.d.mts": 'export { inner } from "./inner.mjs"; export declare function twice(n: number): number;',
      "node_modules/a/inner.d.mts": "export declare const inner: { deep: 1 };",
      "node_modules/a/sub.d.mts": "export declare const sub: string;",
    };
    const text =
      'import { twice, inner } from "a@^1"; import { sub } from "npm:a@1/sub";\nexport const main = () => [twice(sub), inner.none];';
    expect(messagesOf(text)).toEqual([]);
    types.setContext({ packages });
    expect(messagesOf(text)).toEqual([
      "Argument of type 'string' is not assignable to parameter of type 'number'.",
      "Property 'none' does not exist on type '{ deep: 1; }'.",
    ]);
    expect(labelsOf('import { inner } from "a";\ninner.|')).toEqual(["deep"]);
    types.setContext({ packages: {} });
    expect(messagesOf(text)).toEqual([]);
    expect(messagesOf("RT;")).not.toEqual([]);
  });

  it("know other scripts, and name those that they need", () => {
    const text =
      'import { half } from "./lib.ts"; import { other } from "/f/x/other";\nexport const main = (a: string) => [half(a), other.b];';
    expect(checked(text, "f/t/main")).toEqual({ problems: [], scripts: ["f/t/lib", "f/x/other"], unknown: [] });
    types.setContext({ scripts: { "f/t/lib": 'import { one } from "../u/one"; export const half = (n: number) => n / one;' } });
    expect(checked(text, "f/t/main")).toEqual({
      problems: [expect.objectContaining({ message: expect.stringContaining("parameter of type 'number'") })],
      scripts: expect.arrayContaining(["f/x/other", "f/u/one"]),
      unknown: [],
    });
    types.setContext({ scripts: {} });
    expect(checked('import "./lib";').scripts).toEqual([]);
  });

  it("name what nothing declares, which another script can export", () => {
    const text = "const one = 1;\nhalf(one); onee; one.two;";
    expect(checked(text).unknown).toEqual([
      { name: "half", at: text.indexOf("half") + 4 },
      { name: "onee", at: text.indexOf("onee") + 4 },
    ]);
    expect(checked("const abc = 1;").unknown).toEqual([]);
  });

  it("complete names of modules that are not imported yet, and import them", () => {
    const packages = {
      "node_modules/a/package.json": JSON.stringify({ name: "a", types: "a.d.ts" }),
      "node_modules/a/a.d.ts": "export * from 'b'; export declare const usedPart: 1, otherPart: 2;",
      "node_modules/b/package.json": JSON.stringify({ name: "b", types: "b.d.ts" }),
      "node_modules/b/b.d.ts": "export declare const otherPartOfB: 1;",
    };
    types.setContext({ packages, scripts: { "f/t/lib": "export const half = (count: number) => count / 2; export const double = 1;" } });
    const head = 'import { usedPart } from "a";\nimport { half } from "./lib";\n';
    const modulesOf = (word: string, text = head) => {
      const source = { language: "bun", path: "f/t/main", text: `${text}${word}` };
      const at = source.text.length;
      const options = types.answer({ kind: "complete", source, at })?.options ?? [];
      const { module = "" } = options.find(({ label }) => label === word) ?? {};
      const changes = types.answer({ kind: "import", source, at, name: word, module }) ?? [];
      const imported = changes.reduceRight((all, { from, to, insert }) => all.slice(0, from) + insert + all.slice(to), source.text);
      return [module, imported.slice(0, imported.length - word.length)];
    };
    expect(modulesOf("getVariable")).toEqual(["svc-client", `${head}import { getVariable } from "svc-client";\n`]);
    expect(modulesOf("double")).toEqual(["./lib", head.replace("{ half }", "{ double, half }")]);
    expect(modulesOf("otherPart")).toEqual(["a", head.replace("{ usedPart }", "{ otherPart, usedPart }")]);
    expect(modulesOf("readFileSync")).toEqual(["node:fs", `${head}import { readFileSync } from "node:fs";\n`]);
    // No list of packages names it.
    expect(modulesOf("otherPartOfB")[0]).not.toBe("b");
    expect(modulesOf("double", "")).toEqual(["/f/t/lib", 'import { double } from "/f/t/lib";\n\n']);
    types.setContext({ packages: {}, scripts: {} });
  });

  it("complete no names of modules before the first letter", () => {
    const found = types.answer({ kind: "complete", ...at("const a = 1;\n|") });
    expect([found?.isComplete, found?.options.some(({ module }) => module !== undefined)]).toEqual([false, false]);
  });

  it.each<[string, string, string[]]>([
    ["bun", 'Bun.file("a").text(); Bun.notDescribed(); process.env["A"];', []],
    ["deno", 'Deno.env.get("a"); Deno.notDescribed(); new URL("a"); type T = Deno.NotDescribed;', []],
    ["nodejs", 'fetch("a"); Buffer.from("a"); crypto.randomUUID(); setTimeout(() => {}, 1); structuredClone(1);', []],
    ["nodejs", "Bun.file;", ["Cannot find name 'Bun'."]],
    ["bun", "Deno.env;", ["Cannot find name 'Deno'."]],
    ["nodejs", "window.alert(1);", ["Cannot find name 'window'."]],
    ["bun", "try { throw 1 } catch (error) { error.message } export function main(a) { return a.b }", []],
    ["bun", "const found = await Promise.resolve([1, 2].toSorted()); found.at(-1);", []],
  ])("know what %s has: %s", (language, text, messages) => {
    expect(messagesOf(text, language)).toEqual(messages);
  });

  it("answer for a type without an end and for a long text", () => {
    const endless =
      "type Wrap<T> = { a: Wrap<Wrap<T>> }; type Deep<T> = T extends never ? 1 : Deep<[T]>; const a: Deep<1> = 1; declare const b: Wrap<1>; b.a.a.a;";
    expect(messagesOf(endless)).toEqual([expect.stringContaining("excessively deep")]);
    expect(messagesOf(`const a = 1;\n`.repeat(2000)).length).toBe(100);
  });
});
