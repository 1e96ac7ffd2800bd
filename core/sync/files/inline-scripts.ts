import { isJsonObject } from "../../../contract/json/json-object.ts";
import { isScriptLanguage, type ScriptLanguage } from "../../../contract/languages.ts";
import { type DefaultTs, scriptEnding } from "./extensions.ts";

/** The beginning of a value that refers to a file. */
const INLINE = "!inline ";

export const inlineReference = (file: string): string => `${INLINE}${file}`;
/** Returns the file to which a value refers, or `undefined`. */
export const readInlineReference = (value: unknown): string | undefined =>
  typeof value === "string" && value.startsWith(INLINE) ? value.slice(INLINE.length).trim() : undefined;

/** An object with an inline script, and the id that names its file. */
export interface InlineScript {
  /** The object with `content`, `language` and possibly `lock`. */
  script: Record<string, unknown>;
  /** The module's or component's id. */
  id: string;
  name: string;
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * Lists the inline scripts of a flow's value in the order of the flow, then that of the failure module and of the preprocessor. The order does
 * not depend on the order of keys, because it decides which of two equal names gets a number.
 */
export function listFlowScripts(value: unknown): InlineScript[] {
  if (!isJsonObject(value)) return [];
  return [...asList(value["modules"]), value["failure_module"], value["preprocessor_module"]].flatMap(listModuleScripts);
}

function listModuleScripts(module: unknown): InlineScript[] {
  if (!isJsonObject(module) || !isJsonObject(module["value"])) return [];
  const { id, summary, value } = module;
  if (value["type"] === "rawscript" && typeof value["content"] === "string") {
    const name = typeof summary === "string" && summary !== "" ? summary : String(id);
    return [{ script: value, id: String(id), name }];
  }
  const branches = asList(value["branches"]).flatMap((branch) => (isJsonObject(branch) ? asList(branch["modules"]) : []));
  return [...asList(value["modules"]), ...branches, ...asList(value["default"])].flatMap(listModuleScripts);
}

/** Lists the inline scripts of an app's value, wherever they are, by the names of their components. */
export function listAppScripts(value: unknown): InlineScript[] {
  const found: InlineScript[] = [];
  const visit = (node: unknown, name: string): void => {
    if (Array.isArray(node)) {
      for (const item of node) visit(item, name);
      return;
    }
    if (!isJsonObject(node)) return;
    const ownName = typeof node["name"] === "string" && node["name"] !== "" ? node["name"] : name;
    const script = node["inlineScript"];
    if (isJsonObject(script) && typeof script["content"] === "string" && isScriptLanguage(script["language"])) {
      found.push({ script, id: ownName, name: ownName });
    }
    for (const key of Object.keys(node).sort()) if (key !== "inlineScript") visit(node[key], ownName);
  };
  visit(value, "script");
  return found;
}

interface NamingOptions {
  defaultTs: DefaultTs;
  nonDottedPaths: boolean;
  /** The existing names of the files, by the id of the module. */
  existingNames?: ReadonlyMap<string, string> | undefined;
}

/**
 * Replaces the sources and locks of inline scripts by references to files, and returns the files with their contents. `scripts` belong to a
 * copy of the item's value.
 */
export function extractInlineScripts(scripts: readonly InlineScript[], options: NamingOptions): Map<string, string> {
  const { defaultTs, nonDottedPaths, existingNames = new Map() } = options;
  const files = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, script } of scripts) {
    const existingName = existingNames.get(id);
    if (existingName !== undefined) taken.add(baseOf(existingName, endingOf(script, defaultTs)) ?? existingName);
  }
  for (const { script, id, name } of scripts) {
    const { content, lock } = script;
    const ending = endingOf(script, defaultTs);
    const middle = nonDottedPaths ? "" : ".inline_script";
    const existingName = existingNames.get(id);
    const ownBase = existingName && baseOf(existingName, ending);
    const stem = ownBase ?? `${freeName(toFileName(name), taken)}${middle}`;
    files.set(`${stem}${ending}`, String(content));
    script["content"] = inlineReference(`${stem}${ending}`);
    if (typeof lock !== "string" || lock === "") continue;
    files.set(`${stem}.lock`, lock);
    script["lock"] = inlineReference(`${stem}.lock`);
  }
  return files;
}

/** Returns a file name without its ending, or `undefined` if it has another one. */
const baseOf = (file: string, ending: string): string | undefined =>
  file.endsWith(ending) && file.length > ending.length ? file.slice(0, -ending.length) : undefined;

const endingOf = ({ language }: Record<string, unknown>, defaultTs: DefaultTs): string =>
  isScriptLanguage(language) ? inlineEnding(language, defaultTs) : ".txt";

function inlineEnding(language: ScriptLanguage, defaultTs: DefaultTs): string {
  return language === "nativets" ? ".native.ts" : scriptEnding(language, defaultTs);
}

/** Returns a name that no other file of the folder has, and marks it as taken. */
function freeName(preferredName: string, taken: Set<string>): string {
  let name = preferredName;
  for (let number = 1; taken.has(name); number += 1) name = `${preferredName}_${number}`;
  taken.add(name);
  return name;
}

/** Converts the name of a module to that of a file (api.md §6.3). */
function toFileName(name: string): string {
  const cleaned = name
    .toWellFormed()
    .replace(/[/\\:*?"<>|\p{Cc}]/gu, "")
    .replace(/\s/g, "_")
    .replace(/_+/g, "_")
    .toLowerCase()
    .slice(0, MAX_NAME)
    .replace(/^[._]+|[._]+$/g, "");
  return cleaned === "" ? "script" : cleaned;
}

/** File systems allow 255 bytes with the ending, and a character has up to four. */
const MAX_NAME = 50;
