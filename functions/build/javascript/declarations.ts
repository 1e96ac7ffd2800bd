import { limits } from "../../../contract/limits.ts";
import { readJavascriptImports } from "../../../core/builds/javascript-imports.ts";
import { isOwnClient } from "../../../core/builds/packages/own-clients.ts";
import { readSpecifier } from "../../../core/builds/packages/package-specifiers.ts";
import { TypedPackages } from "./typed-packages.ts";

/** The beginnings of statements are bounded, so that a long text without an end costs linear time. */
const IMPORTS = /(?:(\*)\s{0,20})?\b(?:from|import|require)\s{0,20}\(?\s{0,20}["']([^"'\n]{1,300})["']/g;
const REFERENCES = /^\/\/\/\s{0,20}<reference\s{1,20}(path|types)\s{0,5}=\s{0,5}["']([^"'\n]{1,300})["']/gm;

/** The largest packages have some thousands. Each is searched in the file system. */
const MOST_REFERENCES = 20_000;

export interface Declarations {
  /** The texts by path, such as `node_modules/zod/index.d.ts`. */
  files: Record<string, string>;
  /** The packages whose declarations are too large or incomplete. */
  omitted: string[];
}

/**
 * Collects the declarations that the packages of scripts ship: those of each import, and those to which these refer. An import has all of them or
 * none, because a part would show errors that are none. Nothing is executed, and no file outside of a package is read.
 */
export async function collectDeclarations(
  dir: string,
  scripts: Readonly<Record<string, string>>,
  most: Bounds = { files: limits.declarationFiles, bytes: limits.declarationBytes },
): Promise<Declarations> {
  const packages = await TypedPackages.open(dir);
  const files = new Map<string, string>();
  const omitted = new Set<string>();
  let bytes = 0;
  for (const { name, subpath } of listImportedPackages(scripts)) {
    const first = await packages.resolvePackage("", name, subpath);
    const left = { files: most.files - files.size, bytes: most.bytes - bytes };
    // Some packages have more comments than types.
    const found = (await follow(packages, first, files, left, true)) ?? (await follow(packages, first, files, left, false));
    if (!found) omitted.add(name);
    for (const [path, text] of found ?? []) {
      files.set(path, text);
      bytes += sizeOf(path, text);
    }
  }
  return { files: Object.fromEntries(files), omitted: [...omitted] };
}

/** The size as a part of JSON, in which a hostile text has several times its length. */
const sizeOf = (path: string, text: string) => Buffer.byteLength(JSON.stringify(path)) + Buffer.byteLength(JSON.stringify(text)) + 2;

function listImportedPackages(scripts: Readonly<Record<string, string>>): { name: string; subpath: string }[] {
  const paths = Object.keys(scripts).sort();
  return paths
    .flatMap((path) => readJavascriptImports(scripts[path] ?? "").specifiers.map((text) => readSpecifier(path, text)))
    .flatMap((specifier) => (specifier.kind === "package" && !isOwnClient(specifier) ? [specifier] : []));
}

interface Bounds {
  files: number;
  bytes: number;
}

/** Reads files and all to which they refer, without those that `existing` contains. Returns `undefined` if they exceed the bounds, or are incomplete. */
async function follow(
  packages: TypedPackages,
  first: readonly string[],
  existing: ReadonlyMap<string, string>,
  left: Bounds,
  hasComments: boolean,
): Promise<Map<string, string> | undefined> {
  const found = new Map<string, string>();
  const waiting = [...first];
  let bytes = 0;
  let references = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (existing.has(path) || found.has(path)) continue;
    const text = await packages.readText(path);
    if (text === undefined) continue;
    const code = removeComments(text);
    const kept = hasComments ? text : code;
    found.set(path, kept);
    bytes += sizeOf(path, kept);
    if (found.size > left.files || bytes > left.bytes) return undefined;
    if (path.endsWith("/package.json")) continue;
    for (const { specifier, isWhole } of listReferences(code)) {
      if (++references > MOST_REFERENCES) return undefined;
      const files = await packages.resolve(path, specifier);
      // Without `export * from`, names would be missing. Everything else becomes `any`.
      if (!files && isWhole) return undefined;
      waiting.push(...(files ?? []));
    }
  }
  return found;
}

function listReferences(code: string): { specifier: string; isWhole: boolean }[] {
  const imports = [...code.matchAll(IMPORTS)].map(([, star, specifier = ""]) => ({ specifier, isWhole: star !== undefined }));
  const others = [...code.matchAll(REFERENCES)].map(([, kind, value = ""]) => ({
    specifier: kind === "path" && !value.startsWith(".") ? `./${value}` : value,
    isWhole: false,
  }));
  return [...imports, ...others];
}

/** Removes the comments that begin a line. Others can be a part of a text, such as `"image/*"`. */
function removeComments(text: string): string {
  const lines: string[] = [];
  let isInside = false;
  for (const line of text.split("\n")) {
    const start = /^\s{0,200}\/\*/.exec(line)?.[0].length;
    if (!isInside && start === undefined) lines.push(line);
    else {
      const end: number = line.indexOf("*/", isInside ? 0 : start);
      isInside = end < 0;
      if (!isInside) lines.push(line.slice(end + 2));
    }
  }
  return lines.filter((line) => line.trim() !== "").join("\n");
}
