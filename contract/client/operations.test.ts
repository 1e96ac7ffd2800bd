/// <reference types="vite/types/importMeta.d.ts" />
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineSimpleKind } from "../kinds/simple-kind.ts";
import type { Route } from "../route.ts";
import { routes } from "../routes/routes.ts";
import { buildSimpleRoutes } from "../routes/simple/simple-routes.ts";
import { operations } from "./operations/all.ts";
import { buildSimpleOperations } from "./simple-operations.ts";

const modules = import.meta.glob<Record<string, unknown>>(["../routes/*/**/*.ts", "!../routes/**/*.test.ts"]);
const known = new Set<unknown>(Object.values(routes));
const isRoutes = ([name, value]: [string, unknown]) =>
  name.endsWith("Routes") && Object.values(value as object).every((one) => known.has(one));

const HEAD = "// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.\n";
const keyOf = (name: string) => (/^\w+$/.test(name) ? name : JSON.stringify(name));

/** The text of each generated file: for each domain, the operations of each of its records of routes. */
async function generate(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const lists: string[] = [];
  const listed = new Set<string>();
  for (const [file, load] of Object.entries(modules).sort(([a], [b]) => a.localeCompare(b))) {
    const [, domain = ""] = /routes\/(\w+)\//.exec(file) ?? [];
    for (const [name, value] of Object.entries(await load()).filter(isRoutes)) {
      const own = Object.values(value as Record<string, Route>).filter((route) => !listed.has(route.name));
      if (own.length === 0) continue;
      for (const route of own) listed.add(route.name);
      const list = name.replace(/Routes$/, "Operations");
      const rows = own.map((route) => `  ${keyOf(route.name)}: "${route.method} ${route.path}",\n`);
      files.set(domain, `${files.get(domain) ?? HEAD}\nexport const ${list} = {\n${rows.join("")}};\n`);
      lists.push(`${domain}/${list}`);
    }
  }
  const domains = [...files.keys()].map((domain) => {
    const names = lists
      .filter((list) => list.startsWith(`${domain}/`))
      .map((list) => list.slice(domain.length + 1))
      .sort();
    const line = `import { ${names.join(", ")} } from "./${domain}.ts";\n`;
    return line.length <= 141 ? line : `import {\n${names.map((name) => `  ${name},\n`).join("")}} from "./${domain}.ts";\n`;
  });
  const spread = lists.map((list) => `  ...${list.replace(/^.*\//, "")},\n`).join("");
  domains.unshift('import { simpleOperations } from "../simple-operations.ts";\n');
  files.set(
    "all",
    `${HEAD}${domains.join("")}\n/** All operations. */\nexport const operations = {\n${spread}  ...simpleOperations,\n};\n`,
  );
  return files;
}

describe("the operations of the typed client", () => {
  it("are generated from the routes", async () => {
    const files = await generate();
    for (const [name, text] of files) await expect(text).toMatchFileSnapshot(`./operations/${name}.ts`);
    expect((await readdir(new URL("./operations", import.meta.url))).sort()).toEqual([...files.keys()].map((name) => `${name}.ts`).sort());
  });

  it("contain the method and the path of every route", () => {
    const expected = Object.values<Route>(routes).map(({ name, method, path }) => [name, `${method} ${path}`]);
    expect(Object.entries(operations).sort()).toEqual(expected.sort());
  });

  it("contain those of a simple kind, with the addresses of its routes", () => {
    const kind = defineSimpleKind({ fields: z.object({ text: z.string() }), columns: ["path"] });
    const expected = Object.values<Route>(buildSimpleRoutes("note", kind)).map(({ name, method, path }) => [name, `${method} ${path}`]);
    expect(buildSimpleOperations("note")).toEqual(Object.fromEntries(expected));
  });

  it("have no part of an address that is also a field of every call", () => {
    const parts = Object.values(operations).flatMap((operation) => [...operation.matchAll(/\{(\w+)\+?\}/g)].map(([, part]) => part));
    expect(["query", "body", "headers", "signal"].filter((field) => parts.includes(field))).toEqual([]);
  });
});
