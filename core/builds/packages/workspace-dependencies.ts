import * as z from "zod";
import { type DependencyLanguage, dependencyFiles } from "../../../contract/dependency-language.ts";
import { getManifest, type RunnerLanguage } from "../../../contract/languages.ts";
import { normalizeSource } from "../source-text.ts";
import { isRequirement, removeComment } from "./requirement.ts";

/** The versions that a workspace selects for its scripts. */
export interface SelectedDependencies {
  /** Requirements of packages by name: versions of npm packages and of Go modules, and whole requirements of Python distributions. */
  entries: Record<string, string>;
  /** The script names the list, and therefore gets all of its Python requirements, not only those that it imports. */
  all: boolean;
}

/** Returns the language under which the lists for a script are stored, or `undefined` for a language without packages. */
export function findDependencyLanguage(language: RunnerLanguage): DependencyLanguage | undefined {
  if (language === "go") return "go";
  const { imports } = getManifest(language);
  return imports === "javascript" ? "bun" : imports === "python" ? "python3" : undefined;
}

/**
 * The comments by which a script names a list. Python has no special form, because `# requirements: <name>` already lists a package of
 * that name.
 */
const NAMED: Record<DependencyLanguage, RegExp> = {
  bun: /^\/\/\s*(?:workspace_dependencies|package_json):\s*([A-Za-z0-9_-]{1,100})\s*$/,
  python3: /^#\s*workspace_dependencies:\s*([A-Za-z0-9_-]{1,100})\s*$/,
  go: /^\/\/\s*(?:workspace_dependencies|go_mod):\s*([A-Za-z0-9_-]{1,100})\s*$/,
};

/** Returns the name of the list that a script names in one of the comments at its beginning. */
export function findNamedDependencies(language: DependencyLanguage, source: string): string | undefined {
  for (const line of normalizeSource(source).split("\n")) {
    if (line.trim() === "" || line.startsWith("#!")) continue;
    if (!/^(\/\/|#)/.test(line)) return undefined;
    const name = NAMED[language].exec(line)?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Returns the content of a list among files by name, with or without their folder `dependencies`. */
export function findDependencyFile(
  files: Readonly<Record<string, string>>,
  language: DependencyLanguage,
  name: string | undefined,
): string | undefined {
  const fileName = name === undefined ? dependencyFiles[language] : `${name}.${dependencyFiles[language]}`;
  return Object.entries(files).find(([file]) => file.replaceAll("\\", "/").replace(/^dependencies\//, "") === fileName)?.[1];
}

/**
 * The same restriction as for imports of scripts: package managers also accept paths, git references and URLs, which would read content from
 * outside the registry.
 */
const NPM_VERSION = /^[\w.+*^~<>=| -]{1,200}$/;
const packageJsonSchema = z.object({
  dependencies: z
    .record(
      z
        .string()
        .max(300)
        .regex(/^(@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/),
      z.string().regex(NPM_VERSION),
    )
    .optional(),
});
/** No part can begin with a dot, so a path cannot contain `..`. */
const GO_LINE = /^([\w-]+(?:\.[\w-]+)+(?:\/[\w~-][\w.~-]*)*)\s+(v[\w.+-]+)$/;
/** Limits the work of the patterns above, which are applied to single lines. */
const MOST_LINE_CHARS = 1000;
const MOST_ENTRIES = 1000;

/** Returns the entries of a list, or a sentence about its fault. */
export function parseDependencies(language: DependencyLanguage, content: string): Record<string, string> | string {
  const entries = parsers[language](content);
  if (typeof entries === "string") return entries;
  if (Object.keys(entries).length > MOST_ENTRIES) return `It has more than ${MOST_ENTRIES} entries.`;
  return entries;
}

const parsers: Record<DependencyLanguage, (content: string) => Record<string, string> | string> = {
  bun: parsePackageJson,
  python3: parseRequirements,
  go: parseGoMod,
};

function parsePackageJson(content: string): Record<string, string> | string {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch {
    // The sentence below describes the fault.
  }
  const parsed = packageJsonSchema.safeParse(json);
  if (parsed.success) return parsed.data.dependencies ?? {};
  return "It must be a package.json whose dependencies are names with versions, ranges or tags of the registry.";
}

function parseRequirements(content: string): Record<string, string> | string {
  const lines = content.split(/\r?\n/).map((line) => removeComment(line).trim());
  const entries: Record<string, string> = {};
  for (const line of lines.filter(Boolean)) {
    if (!isRequirement(line)) return `"${cut(line)}" is not a requirement: write the name of a package, optionally with a version.`;
    const name = normalizeDistribution(line);
    if (Object.hasOwn(entries, name) && entries[name] !== line) return describeRepetition(name);
    entries[name] = line;
  }
  return entries;
}

const cut = (line: string) => line.slice(0, 200);
/** The last of several entries would silently replace the others, for example if two differ only in their markers. */
const describeRepetition = (name: string) => `It has several entries for ${cut(name)}: write one.`;

/** Returns the name of a requirement's distribution in the form of PEP 503. */
export const normalizeDistribution = (requirement: string): string =>
  (/^[A-Za-z0-9][\w.-]*/.exec(requirement)?.[0] ?? requirement).toLowerCase().replace(/[-_.]+/g, "-");

/** Reads the `require` lines. Other directives, such as `replace`, are refused: they would read content from outside the registry. */
function parseGoMod(content: string): Record<string, string> | string {
  const entries: Record<string, string> = {};
  for (const raw of content.split(/\r?\n/)) {
    const [code = ""] = raw.split("//", 1);
    const line = code.trim();
    if (line === "" || line === ")" || line === "require (" || /^(module|go|toolchain) \S+$/.test(line)) continue;
    const match = line.length > MOST_LINE_CHARS ? null : GO_LINE.exec(line.replace(/^require /, ""));
    if (!match) return `"${cut(line)}" is no requirement of a module: only require lines can be used.`;
    const [, name = "", version = ""] = match;
    if (Object.hasOwn(entries, name) && entries[name] !== version) return describeRepetition(name);
    entries[name] = version;
  }
  return entries;
}
