import { parseExactJson } from "../../contract/json/exact-json.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import { type DefaultTs, languageOfEnding, scriptEnding } from "./files/extensions.ts";
import { baseName, folderKinds, hasFiles, needsFolder, placeOf } from "./files/file-place.ts";
import { itemKey, type SyncItem } from "./item.ts";

/** The entries of an archive by name (api.md §6.2). Their texts are JSON, except sources and lists of package versions. */
export type ArchiveEntries = Map<string, string>;

/** Marks an entry without content: the archive contains its name several times, or its bytes cannot be decompressed. */
export const UNREADABLE = "\0unreadable";

/** The entry with the versions of items that have one. Only clients that request it receive it. */
const VERSIONS = "versions.json";

/** Returns the entries of items, sorted by name. Equal items produce equal entries. */
export function toArchive(items: readonly SyncItem[], { defaultTs }: { defaultTs: DefaultTs }): ArchiveEntries {
  const versions = items.flatMap((item) => (item.version === undefined ? [] : [[itemKey(item), item.version] as const]));
  const entries = items.flatMap((item) => toEntries(item, defaultTs));
  if (versions.length > 0) entries.push([VERSIONS, asJson(Object.fromEntries(versions.sort(compareNames)))]);
  return new Map(entries.sort(compareNames));
}

const compareNames = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0);

const asJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

function toEntries({ kind, path, value, content = "", language = "bun" }: SyncItem, defaultTs: DefaultTs): [string, string][] {
  switch (kind) {
    case "script":
      return [
        [`${path}${needsFolder(path) ? FOLDER_SOURCE : ""}${scriptEnding(language, defaultTs)}`, content],
        [`${path}.script.json`, asJson(value)],
      ];
    case "dependencies":
      return [[baseName({ kind, path }), String(value)]];
    default:
      return [[`${baseName({ kind, path })}.json`, asJson(value)]];
  }
}

/** The source of a script whose name has a dot, which looks like a file extension. */
const FOLDER_SOURCE = "__mod/script";

/** The content of an archive. */
export interface ArchiveContent {
  items: SyncItem[];
  /** Entries that are unreadable or unknown to this version, and items whose path no file can have. */
  strange: string[];
  /** The items among them, by key. */
  strangeKeys: Set<string>;
}

/** Returns the items of an archive. Members choose the names and the contents of entries, so an invalid entry does not affect the others. */
export function fromArchive(entries: ArchiveEntries, { defaultTs }: { defaultTs: DefaultTs }): ArchiveContent {
  const items: SyncItem[] = [];
  const strange: string[] = [];
  const strangeKeys = new Set<string>();
  const sources = new Map<string, { ending: string; content: string } | "several">();
  const scripts = new Map<string, unknown>();
  const versions = parseFields(entries.get(VERSIONS) ?? "{}");
  const leave = (name: string, item?: Pick<SyncItem, "kind" | "path">): void => {
    strange.push(name);
    if (item) strangeKeys.add(itemKey(item));
  };
  const versionOf = (item: Pick<SyncItem, "kind" | "path">): { version?: string } => {
    const version = versions?.[itemKey(item)];
    return typeof version === "string" ? { version } : {};
  };
  const add = (name: string, kind: string, path: string, text: string): void => {
    // The key is a text, and every other item has fields.
    const value = kind === "encryption_key" ? parseText(text) : parseFields(text);
    if (value === undefined) leave(name, { kind, path });
    else items.push({ kind, path, value, ...versionOf({ kind, path }) });
  };
  for (const [name, text] of entries) {
    const folderKind = /^[fu]\//.test(name) ? folderKinds.find((kind) => name.endsWith(`.${kind}.json`)) : undefined;
    if (name === VERSIONS) {
      if (versions === undefined) leave(name);
      continue;
    }
    if (folderKind) add(name, folderKind, name.slice(0, -`.${folderKind}.json`.length), text);
    else if (name.endsWith(".script.json")) scripts.set(name.slice(0, -".script.json".length), parseFields(text));
    else if (name.endsWith(".json") && !name.startsWith("dependencies/")) {
      const location = placeOf(`${name.slice(0, -".json".length)}.yaml`, { defaultTs });
      // A file in a folder that is another item is a part of that item.
      if (location?.part === "main") add(name, location.kind, location.path, text);
      else leave(name);
    } else if (name.startsWith("dependencies/")) {
      const list = { kind: "dependencies", path: name.slice("dependencies/".length) };
      if (text === UNREADABLE) leave(name, list);
      else items.push({ ...list, value: text });
    } else {
      const dot = name.indexOf(".", name.lastIndexOf("/") + 1);
      const path = name.slice(0, dot);
      if (dot > 0) sources.set(path, sources.has(path) || text === UNREADABLE ? "several" : { ending: name.slice(dot), content: text });
      else leave(name);
    }
  }
  for (const [path, value] of scripts) {
    const source = sources.get(needsFolder(path) ? `${path}${FOLDER_SOURCE}` : path);
    const { ending = "", content = "" } = source === "several" ? {} : (source ?? {});
    const language = languageOfEnding(ending, defaultTs);
    if (language && isJsonObject(value)) {
      items.push({ kind: "script", path, language, content, value, ...versionOf({ kind: "script", path }) });
    } else leave(`${path}.script.json`, { kind: "script", path });
  }
  for (const item of items) if (!hasFiles(item)) leave(itemKey(item), item);
  return { items: items.filter(hasFiles), strange, strangeKeys };
}

function parseFields(text: string): Record<string, unknown> | undefined {
  const value = parse(text);
  return isJsonObject(value) ? value : undefined;
}

function parseText(text: string): string | undefined {
  const value = parse(text);
  return typeof value === "string" ? value : undefined;
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    // The caller leaves out an entry that is not JSON.
    return undefined;
  }
}
