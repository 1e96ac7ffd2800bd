import { isJsonObject } from "../../../contract/json/json-object.ts";
import { fromAppFile } from "../../apps/app-file.ts";
import { createLocator } from "../check/locate.ts";
import { type FileProblem, itemKey, type SyncItem } from "../item.ts";
import { languageOfEnding } from "./extensions.ts";
import { type FilePlace, needsFolder, placeOf } from "./file-place.ts";
import { inlineReference, listAppScripts, listFlowScripts, readInlineReference } from "./inline-scripts.ts";
import type { FileMap, LayoutOptions } from "./layout.ts";
import { endingOf, readModules } from "./script-files.ts";
import { parseYaml } from "./yaml.ts";

/** The files of items by the keys of the items. */
type FileGroups = Map<string, { kind: string; path: string; files: FileMap }>;

/** Groups files by their item. */
export function groupFiles(files: FileMap, options: LayoutOptions): FileGroups {
  const groups: FileGroups = new Map();
  for (const [file, text] of files) {
    const location = placeOf(file, options);
    if (!location) continue;
    const key = itemKey(location);
    const group = groups.get(key) ?? { kind: location.kind, path: location.path, files: new Map() };
    groups.set(key, group);
    group.files.set(file, text);
  }
  return groups;
}

export interface ParseOptions extends LayoutOptions {
  /** A missing lock is not a problem: the reference to its file remains in the item. */
  allowMissingLocks?: boolean;
}

/** Parses files to items. A file that belongs to no item is left out. Every problem is reported, so that one run shows all of them. */
export function parseFiles(files: FileMap, options: ParseOptions): { items: SyncItem[]; groups: FileGroups; problems: FileProblem[] } {
  const groups = groupFiles(files, options);
  const items: SyncItem[] = [];
  const problems: FileProblem[] = [];
  for (const { kind, path, files: itemFiles } of groups.values()) {
    const reader = new ItemReader({ itemFiles, all: files }, options, problems);
    const item = reader.read(kind, path);
    if (item) items.push(item);
  }
  return { items, groups, problems };
}

/** Returns the path of a file from the root, for a reference that may lead out of the folder. */
function join(folder: string, name: string): string {
  const parts = folder.split("/");
  for (const part of name.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** Reads the files of one item. */
class ItemReader {
  readonly #files: FileMap;
  /** The files of all items. */
  readonly #all: FileMap;
  readonly #options: ParseOptions;
  readonly #problems: FileProblem[];

  constructor({ itemFiles, all }: { itemFiles: FileMap; all: FileMap }, options: ParseOptions, problems: FileProblem[]) {
    this.#files = itemFiles;
    this.#all = all;
    this.#options = options;
    this.#problems = problems;
  }

  read(kind: string, path: string): SyncItem | undefined {
    if (kind === "dependencies") return { kind, path, value: [...this.#files.values()][0] ?? "" };
    if (kind === "script") return this.#readScript(path);
    const main = this.#mainFile();
    if (main === undefined) return undefined;
    if (kind === "raw_app") return this.#fail(main, "The service stores no raw apps. Move this folder out of the workspace's folders.");
    const value = this.#parse(main);
    if (value === undefined) return undefined;
    if (kind === "encryption_key") return { kind, path, value };
    if (!isJsonObject(value)) return this.#fail(main, "The file must contain a YAML mapping.");
    if (kind === "flow") return this.#inlineScripts({ kind, path, value }, main);
    if (kind === "app") return this.#inlineScripts({ kind, path, value: fromAppFile(value) }, main);
    if (kind === "resource") return this.#inlineResource({ kind, path, value }, main);
    return this.#refuseReferences(value, main) ? { kind, path, value } : undefined;
  }

  #mainFile(): string | undefined {
    const mains = [...this.#files.keys()].filter((file) => this.#partOf(file) === "main");
    const [main] = mains;
    const [other = ""] = [...this.#files.keys()];
    if (main === undefined) return this.#fail(other, "The item has no YAML file: this file belongs to it and would be lost.");
    if (mains.length > 1) return this.#fail(mains[1] ?? main, `${main} is the same item. Remove one of the two files.`);
    return main;
  }

  #partOf(file: string): FilePlace["part"] | undefined {
    return placeOf(file, this.#options)?.part;
  }

  #fail(file: string, message: string): undefined {
    this.#problems.push({ file, message });
    return undefined;
  }

  /** Reports a reference to an unreadable file, with its position. */
  #failReference(main: string, reference: string, { path, of }: { path: string; of: string }): undefined {
    const text = this.#files.get(main) ?? "";
    const offset = text.indexOf(reference);
    const before = offset < 0 ? undefined : text.slice(0, offset).split("\n");
    const position = before && { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    const reason = this.#all.has(path)
      ? `The file ${path} belongs to another item. Copy it: an item refers only to its own files.`
      : `The file ${path} does not exist.`;
    this.#problems.push({ file: main, ...position, message: `${reason} It is ${of}.` });
    return undefined;
  }

  /** Reports references in fields that do not support them: the reference would be saved as the value. Returns whether there are none. */
  #refuseReferences(value: unknown, main: string, around: readonly string[] = []): boolean {
    if (isJsonObject(value) || Array.isArray(value)) {
      const inner = Object.entries(value).map(([name, field]) => this.#refuseReferences(field, main, [...around, name]));
      return inner.every(Boolean);
    }
    const reference = readInlineReference(value);
    if (reference === undefined) return true;
    this.#problems.push({
      file: main,
      ...createLocator(this.#files.get(main) ?? "")(around),
      message: `${around.join(".")}: this field cannot refer to a file. Write its value here.`,
    });
    return false;
  }

  #parse(file: string): unknown {
    const parsed = parseYaml(file, this.#files.get(file) ?? "");
    if (!("problem" in parsed)) return parsed.value;
    this.#problems.push(parsed.problem);
    return undefined;
  }

  #readScript(path: string): SyncItem | undefined {
    const sources = [...this.#files.keys()].filter((file) => this.#partOf(file) === "source");
    const [source, second] = sources;
    const mains = [...this.#files.keys()].filter((file) => this.#partOf(file) === "main");
    const [main] = mains;
    if (source === undefined) return this.#fail(main ?? [...this.#files.keys()][0] ?? path, describeMissingSource(path));
    if (second !== undefined) return this.#fail(second, `${source} is the same script. Remove one of the two files.`);
    if (mains.length > 1) return this.#fail(mains[1] ?? source, `${main} is the same script. Remove one of the two files.`);
    const parsed = main === undefined ? { summary: "", description: "" } : this.#parse(main);
    if (parsed === undefined) return undefined;
    if (!isJsonObject(parsed)) return this.#fail(main ?? source, "The file must contain a YAML mapping.");
    const { lock: stated, modules: described, ...metadata } = parsed;
    const lock = this.#readLock(stated, main ?? source);
    if (lock === undefined) return undefined;
    const folder = placeOf(source, this.#options)?.folder;
    const language = languageOfEnding(endingOf(source), this.#options.defaultTs);
    if (!language) return this.#fail(source, `The ending ${endingOf(source)} is not that of a script.`);
    const modules = readModules(this.#files, folder, described, this.#options.defaultTs);
    return { kind: "script", path, language, content: this.#files.get(source) ?? "", value: { ...metadata, lock, ...modules } };
  }

  /** Returns the text of a script's lock. On Windows, the reference contains another separator. */
  #readLock(stated: unknown, main: string): string | undefined {
    const file = readInlineReference(stated)?.replaceAll("\\", "/");
    const lockFile = [...this.#files.keys()].find((one) => this.#partOf(one) === "lock");
    if (file === undefined) return typeof stated === "string" ? stated : "";
    if (file === lockFile) return this.#files.get(file) ?? "";
    if (this.#all.has(file)) return this.#failReference(main, file, { path: file, of: "the lock" });
    if (this.#options.allowMissingLocks) return inlineReference(file);
    return this.#fail(main, `The lock ${file} does not exist. Run: svc generate-metadata`);
  }

  #inlineScripts(item: SyncItem & { value: Record<string, unknown> }, main: string): SyncItem | undefined {
    const folder = main.slice(0, main.lastIndexOf("/"));
    const scripts = item.kind === "flow" ? listFlowScripts(item.value["value"]) : listAppScripts(item.value["value"]);
    let isComplete = true;
    for (const { script, id } of scripts) {
      for (const field of ["content", "lock"]) {
        const name = readInlineReference(script[field]);
        if (name === undefined) continue;
        const text = this.#files.get(`${folder}/${name}`);
        if (text === undefined && field === "lock" && this.#options.allowMissingLocks) continue;
        if (text === undefined) {
          this.#failReference(main, name, { path: join(folder, name), of: `the ${field} of ${id}` });
          isComplete = false;
        }
        script[field] = text;
      }
    }
    return isComplete ? item : undefined;
  }

  #inlineResource(item: SyncItem & { value: Record<string, unknown> }, main: string): SyncItem | undefined {
    const { resource_type: typeName, value: inner } = item.value;
    const { fileTypes } = this.#options;
    const type = typeof typeName === "string" && Object.hasOwn(fileTypes, typeName) ? fileTypes[typeName] : undefined;
    const folder = type?.is_fileset ? readInlineReference(inner) : undefined;
    if (folder !== undefined) {
      const folderFiles = [...this.#files].filter(([file]) => file.startsWith(`${folder}/`));
      return {
        ...item,
        value: { ...item.value, value: Object.fromEntries(folderFiles.map(([file, text]) => [file.slice(folder.length + 1), text])) },
      };
    }
    const file = type?.format_extension && isJsonObject(inner) ? readInlineReference(inner["content"]) : undefined;
    if (file === undefined || !isJsonObject(inner)) return item;
    const content = this.#files.get(file);
    if (content === undefined) return this.#failReference(main, file, { path: file, of: "the content of the resource" });
    return { ...item, value: { ...item.value, value: { ...inner, content } } };
  }
}

const describeMissingSource = (path: string): string =>
  needsFolder(path)
    ? `The script has no source file. The files of a script whose name has a dot are ${path}__mod/script.yaml and, for example, ${path}__mod/script.ts.`
    : "The script has no source file.";

/** Returns the names of the files of a flow's or app's inline scripts by module, as its YAML file states them. */
export function readInlineNames(item: { kind: string }, yamlText: string): Map<string, string> {
  const parsed = parseYaml("", yamlText);
  if ("problem" in parsed || !isJsonObject(parsed.value)) return new Map();
  const inner = parsed.value["value"];
  const scripts = item.kind === "flow" ? listFlowScripts(inner) : listAppScripts(inner);
  return new Map(
    scripts.flatMap(({ id, script }) => {
      const name = readInlineReference(script["content"]);
      return name === undefined ? [] : [[id, name] as const];
    }),
  );
}
