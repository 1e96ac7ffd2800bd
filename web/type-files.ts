import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { declareClientTypes } from "../clients/pack.ts";
import { CLIENT_PACKAGE } from "../contract/deployment/client-packages.ts";

const root = join(import.meta.dirname, "..");
const packages = join(root, "node_modules");
const globals = join(import.meta.dirname, "src/console/parts/types/globals");

/** The libraries of the language that every runtime has. Bun, Deno and Node lack `Temporal`, and scripts have no page. */
const ofLanguage = /^lib\.(es5|es20\d\d[\w.]*|decorators[\w.]*|esnext\.(array|collection|disposable|error|float16))\.d\.ts$/;

/**
 * Returns the declarations that the editor of scripts knows, by the paths that its language service gives them: those of the language, of Node,
 * of our client, and of what Bun and Deno add.
 */
export function listTypeFiles(): Map<string, string> {
  const files = new Map<string, string>();
  const libraries = join(packages, "typescript/lib");
  for (const name of readdirSync(libraries)) {
    if (ofLanguage.test(name) && !name.endsWith(".full.d.ts")) files.set(`/lib/${name}`, readFileSync(join(libraries, name), "utf8"));
  }
  for (const name of ["@types/node", "undici-types"]) {
    for (const path of listDeclarations(join(packages, name))) {
      files.set(`/node_modules/${name}/${relative(join(packages, name), path)}`, withoutExamples(readFileSync(path, "utf8")));
    }
    files.set(`/node_modules/${name}/package.json`, manifestOf(name));
  }
  for (const [name, text] of declareClientTypes()) {
    for (const client of ["svc-client", CLIENT_PACKAGE]) files.set(`/node_modules/${client}/${name}`, text);
  }
  for (const name of readdirSync(globals)) files.set(`/globals/${name}`, readFileSync(join(globals, name), "utf8"));
  return files;
}

/** Lists the declarations of a package, without those for compilers of earlier years. */
const listDeclarations = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^ts\d|^node_modules$/.test(entry.name) ? [] : listDeclarations(path);
    return entry.name.endsWith(".d.ts") ? [path] : [];
  });

/** Examples in comments are a quarter of all bytes, and too long for a hint beside the cursor. */
const withoutExamples = (text: string): string => text.replaceAll(/^ *\* ```[\s\S]*?^ *\* ```\n/gm, "");

function manifestOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) as { version: string };
  return JSON.stringify({ name, version, types: "index.d.ts" });
}
