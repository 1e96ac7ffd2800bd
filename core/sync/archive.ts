import { parseExactJson } from "../../contract/exact-json.ts";
import { isJsonObject } from "../../contract/json-object.ts";
import { type DefaultTs, languageOfEnding, scriptEnding } from "./files/extensions.ts";
import { baseName, hasFiles, needsFolder, placeOf } from "./files/file-place.ts";
import { itemKey, type SyncItem } from "./item.ts";

/** The entries of an archive by name (api.md §6.2). Their texts are JSON, except sources and lists of package versions. */
export type ArchiveEntries = Map<string, string>;

/** The entry with the versions of the items that state one. Only clients that request it receive it. */
const VERSIONS = "versions.json";

/** Returns the entries of items. Equal items give equal entries, in the order of their names. */
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
      return [[`dependencies/${path}`, String(value)]];
    default:
      return [[`${baseName({ kind, path })}.json`, asJson(value)]];
  }
}

/** The source of a script whose name has a dot, which cannot be told from the ending of a file. */
const FOLDER_SOURCE = "__mod/script";

const FLOW_OR_APP = /^([fu]\/.+)\.(flow|app|raw_app)\.json$/;

/** Returns the items of an archive. `strange`: entries that this version does not know, and items whose path no file can have. */
export function fromArchive(entries: ArchiveEntries, { defaultTs }: { defaultTs: DefaultTs }): { items: SyncItem[]; strange: string[] } {
  const items: SyncItem[] = [];
  const strange: string[] = [];
  const sources = new Map<string, { ending: string; content: string }>();
  const scripts = new Map<string, unknown>();
  const versions = JSON.parse(entries.get(VERSIONS) ?? "{}") as Record<string, string>;
  for (const [name, text] of entries) {
    const folder = FLOW_OR_APP.exec(name);
    if (name === VERSIONS) continue;
    if (folder?.[1] !== undefined && folder[2] !== undefined) items.push({ kind: folder[2], path: folder[1], value: parseExactJson(text) });
    else if (name.endsWith(".script.json")) scripts.set(name.slice(0, -".script.json".length), parseExactJson(text));
    else if (name.endsWith(".json") && !name.startsWith("dependencies/")) {
      const place = placeOf(`${name.slice(0, -".json".length)}.yaml`, { defaultTs });
      // Below a folder that is another item, a file is a part of that one.
      if (place?.part === "main") items.push({ kind: place.kind, path: place.path, value: parseExactJson(text) });
      else strange.push(name);
    } else if (name.startsWith("dependencies/"))
      items.push({ kind: "dependencies", path: name.slice("dependencies/".length), value: text });
    else {
      const dot = name.indexOf(".", name.lastIndexOf("/") + 1);
      if (dot > 0) sources.set(name.slice(0, dot), { ending: name.slice(dot), content: text });
      else strange.push(name);
    }
  }
  for (const [path, value] of scripts) {
    const source = sources.get(needsFolder(path) ? `${path}${FOLDER_SOURCE}` : path);
    const language = source && languageOfEnding(source.ending, defaultTs);
    const version = versions[itemKey({ kind: "script", path })];
    if (source && language && isJsonObject(value)) {
      items.push({ kind: "script", path, language, content: source.content, value, ...(version === undefined ? {} : { version }) });
    } else strange.push(`${path}.script.json`);
  }
  const [usable, unusable] = [items.filter(hasFiles), items.filter((item) => !hasFiles(item))];
  return { items: usable, strange: [...strange, ...unusable.map(itemKey)] };
}
