import { defined } from "../../../contract/defined.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import type { SyncItem } from "../item.ts";
import { type DefaultTs, languageOfEnding, scriptEnding } from "./extensions.ts";
import { areFileNames } from "./file-names.ts";
import { needsFolder } from "./file-place.ts";
import { inlineReference } from "./inline-scripts.ts";
import type { FileMap } from "./layout.ts";
import { formatYaml } from "./yaml.ts";

/** A file of a script other than its source. Fields that the file does not express are in the metadata. */
type Module = Record<string, unknown>;

/** Returns the files of a script: three files of one name, or a folder if it has modules or a dot in its name. */
export function toScriptFiles({ path, value, language = "bun", content = "" }: SyncItem, defaultTs: DefaultTs): FileMap {
  const { lock, modules, ...metadata } = isJsonObject(value) ? value : {};
  const ending = scriptEnding(language, defaultTs);
  const modulesByName = isJsonObject(modules) ? modules : {};
  const isFolder = Object.keys(modulesByName).length > 0 || needsFolder(path);
  const stem = isFolder ? `${path}__mod/script` : path;
  const base = isFolder ? stem : `${path}.script`;
  const { files, rest } = toModuleFiles(`${path}__mod`, modulesByName, defaultTs);
  const hasLock = typeof lock === "string" && lock !== "";
  const described = { ...metadata, lock: hasLock ? inlineReference(`${base}.lock`) : "" };
  return new Map([
    [`${stem}${ending}`, content],
    [`${base}.yaml`, formatYaml(Object.keys(rest).length > 0 ? { ...described, modules: rest } : described)],
    ...(hasLock ? [[`${base}.lock`, lock] as const] : []),
    ...files,
  ]);
}

/** The names of the script's own files in its folder. */
const OWN_NAME = /^script\.[^/]+$/;

/** Returns the files of modules. `rest`: the fields that these files do not express, by module. */
function toModuleFiles(
  folder: string,
  modules: Record<string, unknown>,
  defaultTs: DefaultTs,
): { files: FileMap; rest: Record<string, Module> } {
  const names = Object.keys(modules);
  const areFiles = areFileNames([...names, ...names.map((name) => moduleLockName(name, names))]);
  const files: FileMap = new Map();
  const rest: Record<string, Module> = {};
  for (const [name, module] of Object.entries(modules) as [string, Module][]) {
    const { content, lock, language, ...others } = module;
    const expressed = languageOfEnding(endingOf(name), defaultTs);
    if (!areFiles || OWN_NAME.test(name) || expressed === undefined || typeof content !== "string") {
      rest[name] = module;
      continue;
    }
    files.set(`${folder}/${name}`, content);
    const hasLock = typeof lock === "string" && lock !== "";
    if (hasLock) files.set(`${folder}/${moduleLockName(name, names)}`, lock);
    const more = { ...others, ...(language === expressed ? {} : { language }), ...defined({ lock: hasLock ? undefined : lock }) };
    if (Object.keys(more).length > 0) rest[name] = more;
  }
  return { files, rest };
}

/** Returns the modules of a script: the files in its folder, if it has one, with their fields from the metadata. */
export function readModules(
  files: FileMap,
  folder: string | undefined,
  rest: unknown,
  defaultTs: DefaultTs,
): { modules?: Record<string, unknown> } {
  const described = isJsonObject(rest) ? rest : {};
  const names = (folder === undefined ? [] : [...files.keys()])
    .map((file) => file.slice(`${folder}/`.length))
    .filter((name) => !OWN_NAME.test(name) && languageOfEnding(endingOf(name), defaultTs));
  const all = [...names, ...Object.keys(described)];
  const found = names.map((name) => {
    const lock = files.get(`${folder}/${moduleLockName(name, all)}`);
    const moduleFile = { content: files.get(`${folder}/${name}`) ?? "", language: languageOfEnding(endingOf(name), defaultTs) };
    const more = isJsonObject(described[name]) ? described[name] : {};
    return [name, { ...moduleFile, ...defined({ lock }), ...more }] as const;
  });
  const modules = { ...described, ...Object.fromEntries(found) };
  return Object.keys(modules).length === 0 ? {} : { modules };
}

const baseOf = (name: string): string => name.replace(/\.[^/]*$/, "");

/**
 * Returns the name of a module's lock: that of the module with another ending, or with an additional ending if another module would have the same
 * name.
 */
function moduleLockName(name: string, names: readonly string[]): string {
  const isShared = names.some((other) => other !== name && baseOf(other) === baseOf(name));
  return `${isShared ? name : baseOf(name)}.lock`;
}

/** Returns the part of a file's name from its first dot. */
export function endingOf(file: string): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  const dot = name.indexOf(".");
  return dot < 0 ? "" : name.slice(dot);
}
