import { isJsonObject } from "../../contract/json/json-object.ts";
import { findKind, kindNames } from "../../contract/kinds/kinds.ts";
import type { ScriptLanguage } from "../../contract/languages.ts";

/** A workspace object that is stored as files. */
export interface SyncItem {
  /** One of `kindNames`. */
  kind: string;
  /**
   * The path in the workspace. Folders, groups and resource types: the name. Users: the e-mail address. Lists of package versions: the name of
   * the file. Settings and the encryption key: the kind.
   */
  path: string;
  /** The fields under their names in the archive (api.md §6.4). Lists of package versions: the text. */
  value: unknown;
  /** Scripts only. */
  language?: ScriptLanguage;
  /** The source of a script. */
  content?: string;
  /** The version that the service has, if it has returned one: that of a script is its hash. It is not part of the files. */
  version?: string;
}

/** Identifies an item in a workspace. */
export const itemKey = ({ kind, path }: Pick<SyncItem, "kind" | "path">): string => `${kind} ${path}`;

/** Returns the fields of an item. Lists of package versions and the encryption key have none. */
export const fieldsOf = (item: Pick<SyncItem, "value"> | undefined): Record<string, unknown> =>
  isJsonObject(item?.value) ? item.value : {};

/** Returns whether an item is a variable with a secret value. */
export const isSecret = (item: Pick<SyncItem, "kind" | "value"> | undefined): boolean =>
  item?.kind === "variable" && fieldsOf(item)["is_secret"] === true;

/** Returns whether the files of an item may contain secrets: plans do not show them, and only their owner may read them. */
export const isConfidential = (item: Pick<SyncItem, "kind" | "value"> | undefined): boolean =>
  item !== undefined && (findKind(item.kind)?.isConfidential === true || isSecret(item));

const ranks: readonly string[] = kindNames;

/** Compares items by kind, in the order of a push, and by path. */
export function compareItems(a: Pick<SyncItem, "kind" | "path">, b: Pick<SyncItem, "kind" | "path">): number {
  return ranks.indexOf(a.kind) - ranks.indexOf(b.kind) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

/** Something wrong with a file, shown as one line. */
export interface FileProblem {
  file: string;
  line?: number;
  column?: number;
  message: string;
}
