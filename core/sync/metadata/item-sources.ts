import { isScriptLanguage } from "../../../contract/languages.ts";
import { type FilePlace, placeOf } from "../files/file-place.ts";
import { listFlowScripts, readInlineReference } from "../files/inline-scripts.ts";
import type { FileMap } from "../files/layout.ts";
import { readInlineNames } from "../files/parse-files.ts";
import { fieldsOf, type SyncItem } from "../item.ts";
import { hashFlow, hashScript, inlineKey } from "./lock-file.ts";
import { mayHaveLock, type Source, selectUsedLists } from "./used-lists.ts";

/** A script or a flow with its files. */
export interface LocalItem {
  item: SyncItem;
  files: FileMap;
  /** The script runs as a bundle of a codebase, which contains its packages. */
  bundled?: object;
}

/** A source that has its own lock: a script, or an inline script of a flow. */
export interface ItemSource extends Source {
  /** Its key among the recorded hashes. */
  key: string;
  /** The module of the flow. Absent: a script. */
  id?: string;
  /** The path from which its relative imports start. */
  path: string;
  /** Its file. */
  file: string;
  /** The text of its lock, empty for a source without packages. Absent: the item has no lock, which may not be resolved yet. */
  lock: string | undefined;
  /** Its lock refers to a missing file. */
  isLockMissing: boolean;
  /** It may have packages that the service resolves. */
  mayHaveLock: boolean;
}

/** Returns the file that is a part of an item. Any default runtime can be used, because only the language depends on it. */
export const findPart = (files: FileMap, part: FilePlace["part"]): string | undefined =>
  [...files.keys()].find((file) => placeOf(file, { defaultTs: "bun" })?.part === part);

/** Returns the beginning of the keys of an item among the recorded hashes: the path of a script, or the folder of a flow. */
export function ownerOf({ item, files }: LocalItem): string {
  const main = findPart(files, "main") ?? "";
  return item.kind === "script" ? item.path : main.slice(0, main.lastIndexOf("/"));
}

/** A reference to a lock remains in an item if its file does not exist. */
function readLock(lock: unknown): Pick<ItemSource, "lock" | "isLockMissing"> {
  const isLockMissing = readInlineReference(lock) !== undefined;
  return { lock: typeof lock === "string" && !isLockMissing ? lock : undefined, isLockMissing };
}

/** Lists the sources of a script or flow, without inline scripts of languages that svc does not know. */
export function listSources(local: LocalItem): ItemSource[] {
  const { item, files } = local;
  if (item.kind === "script") {
    const { path, language = "bun", content: source = "" } = item;
    const itemSource = { key: path, path, language, source, file: findPart(files, "source") ?? path };
    return [{ ...itemSource, ...readLock(fieldsOf(item)["lock"]), mayHaveLock: !local.bundled && mayHaveLock(itemSource) }];
  }
  const folder = ownerOf(local);
  const names = readInlineNames(item, files.get(`${folder}/flow.yaml`) ?? "");
  return listFlowScripts(fieldsOf(item)["value"]).flatMap(({ id, script: { language, content, lock } }) => {
    if (!isScriptLanguage(language)) return [];
    // A source in flow.yaml itself gets a file when the flow is written.
    const name = names.get(id) ?? id;
    const itemSource = {
      key: inlineKey(folder, name),
      id,
      path: `${item.path}/${id}`,
      file: `${folder}/${name}`,
      language,
      source: String(content),
    };
    return [{ ...itemSource, ...readLock(lock), mayHaveLock: mayHaveLock(itemSource) }];
  });
}

/**
 * Returns the hashes of a script or flow by key. A flow without inline scripts has none. `files`: all files of the project, for its lists of
 * package versions.
 */
export function hashItem(local: LocalItem, files: FileMap): Map<string, string> {
  const sources = listSources(local).map((one) => ({ ...one, lists: selectUsedLists(one, files) }));
  if (local.item.kind === "script") {
    const metadata = local.files.get(findPart(local.files, "main") ?? "") ?? "";
    return new Map(sources.map(({ key, source, lists }) => [key, hashScript({ source, metadata, lists })]));
  }
  const folder = ownerOf(local);
  const scripts = sources.map(({ file, source, lists }) => ({ file: file.slice(folder.length + 1), source, lists }));
  return scripts.length === 0 ? new Map() : hashFlow(folder, scripts);
}

/** Returns whether each source of an item that may have packages has a lock. The lock of a source without packages is empty. */
export const isResolved = (local: LocalItem): boolean => listSources(local).every((one) => one.lock !== undefined || !one.mayHaveLock);
