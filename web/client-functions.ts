import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientFunction } from "./src/console/parts/code/client-functions.ts";

const clients = join(import.meta.dirname, "../clients");

/** Returns the functions of our clients by the language of the scripts that call them, from the sources of the clients. */
export const listClientFunctions = (): Record<string, ClientFunction[]> => ({
  typescript: listTypescript(),
  python3: listPython(),
  go: listGo(),
});

function listTypescript(): ClientFunction[] {
  const folder = join(clients, "typescript/src");
  const index = readFileSync(join(folder, "index.ts"), "utf8").replace(/\/\*[\s\S]*?\*\//, "");
  const exported = new Set(index.match(/\w+/g));
  const declared = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (?:async )?function (\w+)(?:<.*?>)?(\([\s\S]*?\): .*) \{$/gm;
  return readSources(folder, ".ts").flatMap((source) =>
    [...source.matchAll(declared)]
      .filter(([, , name = ""]) => exported.has(name))
      .map(([, comment = "", name = "", types = ""]) => ({
        name,
        signature: `${name}${oneLine(types)}`,
        text: oneLine(comment.replaceAll(/^ \*/gm, "").replace(/ @\w[\s\S]*$/, "")).trim(),
      })),
  );
}

function listPython(): ClientFunction[] {
  const folder = join(clients, "python/svc");
  const exported = new Set(readFileSync(join(folder, "__init__.py"), "utf8").match(/\w+(?=",$)/gm));
  return readSources(folder, ".py").flatMap((source) =>
    [...source.matchAll(/^def (\w+)(\([\s\S]*?\)(?: -> .*)?):\n {4}"""(.*)/gm)]
      .filter(([, name = ""]) => exported.has(name))
      .map(([, name = "", types = "", text = ""]) => ({ name, signature: `${name}${oneLine(types)}`, text: text.replace(/"""$/, "") })),
  );
}

function listGo(): ClientFunction[] {
  return readSources(join(clients, "go"), ".go").flatMap((source) =>
    [...source.matchAll(/^((?:\/\/ .*\n)+)func ([A-Z]\w*)(\(.*) \{$/gm)].map(([, comment = "", name = "", types = ""]) => ({
      name,
      signature: `${name}${types}`,
      text: comment
        .replaceAll(/^\/\/ /gm, "")
        .replaceAll("\n", " ")
        .trim(),
    })),
  );
}

const readSources = (folder: string, extension: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(extension) && !name.endsWith("_test.go"))
    .map((name) => readFileSync(join(folder, name), "utf8"));

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").replace("( ", "(").replace(", )", ")");
