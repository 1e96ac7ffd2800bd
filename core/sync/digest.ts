import { createHash } from "node:crypto";
import { toCanonicalJson } from "../../contract/json/canonical-json.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import { removeDerivedPolicy } from "../apps/app-file.ts";
import { isDefault, openFieldsOf } from "./defaults.ts";
import { fieldsOf, type SyncItem } from "./item.ts";

/** The digests of an item. Some fields are open: a file without them leaves them to the workspace. */
export interface ItemDigest {
  digest: string;
  /** The digest without the open fields, if the kind has some. */
  fixed?: string;
  /** The digests of the item's open fields, by name. */
  open?: Readonly<Record<string, string>>;
  /** The digest of the bundle of a script that belongs to a codebase. Absent: it was not bundled. */
  bundle?: string;
}

/** Marks that a client of this API family adds to files (api.md §6.4). */
const MARKS = new Set(["has_on_behalf_of", "has_permissioned_as"]);

/** Returns the fields of an item that count: without marks, nulls, defaults, what clients compute for apps, and the name of the workspace, which no push changes. */
function comparableFields({ kind, value }: SyncItem): unknown {
  if (!isJsonObject(value)) return value;
  const isEmpty = (name: string, field: unknown) =>
    field === null || field === undefined || isDefault(kind, name, field) || isEmptyObject(name, field);
  const isIgnored = (name: string) => MARKS.has(name) || (kind === "settings" && name === "name");
  const { policy } = value;
  const stated = kind === "app" && isJsonObject(policy) ? { ...value, policy: removeDerivedPolicy(policy) } : value;
  return Object.fromEntries(Object.entries(stated).filter(([name, field]) => !isIgnored(name) && !isEmpty(name, field)));
}

/** Fields that are equivalent to absent ones if they have no entries. */
const OBJECTS = new Set(["extra_perms", "modules"]);

const isEmptyObject = (name: string, field: unknown) => OBJECTS.has(name) && isJsonObject(field) && Object.keys(field).length === 0;

const hash = (value: unknown): string => createHash("sha256").update(toCanonicalJson(value)).digest("hex");

/** The digest of empty extra permissions. */
const NO_ENTRIES = hash({});

export function digestItem(item: SyncItem): ItemDigest {
  const fields = comparableFields(item);
  const { kind, path, language, content } = item;
  const all = [kind, path, language ?? null, content ?? null];
  const names = openFieldsOf(kind);
  if (names.length === 0 || !isJsonObject(fields)) return { digest: hash([...all, fields]) };
  const fixed = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
  const stated = fieldsOf(item);
  const open = names.flatMap((name) => (stated[name] == null || stated[name] === "" ? [] : [[name, hash(stated[name])] as const]));
  return { digest: hash([...all, fields]), fixed: hash([...all, fixed]), open: Object.fromEntries(open) };
}

/** Returns a digest that this or an earlier release has stored. Earlier ones knew only the lock as an open field, and did not store its digest. */
export function readStoredDigest(stored: ItemDigest & { withoutLock?: string; locked?: true }): ItemDigest {
  const { withoutLock, locked, ...digest } = stored;
  return withoutLock === undefined ? digest : { ...digest, fixed: withoutLock, open: locked ? { lock: "" } : {} };
}

/** Returns whether a local item equals another version of it. Open fields that it lacks are not compared. */
export function equalsLocal(local: ItemDigest, other: ItemDigest): boolean {
  return equalsLocalFiles(local, other) && local.bundle === other.bundle;
}

/** Returns whether the files of a local item equal those of another version. A bundle depends on more than these files. */
export function equalsLocalFiles(local: ItemDigest, other: ItemDigest): boolean {
  return local.digest === other.digest || (equalsFixed(local, other) && statesNoOther(local, other));
}

const equalsFixed = (a: ItemDigest, b: ItemDigest): boolean => a.fixed !== undefined && a.fixed === b.fixed;

/** Returns whether each open field of an item is the same in another version. */
const statesNoOther = ({ open = {} }: ItemDigest, other: ItemDigest): boolean =>
  Object.entries(open).every(([name, digest]) => digest === (other.open?.[name] ?? NO_ENTRIES));

/**
 * Returns whether the version of the workspace equals the previous one in all fields that people set. The service adds a lock to a script that is
 * saved without one, so a lock that one of them lacks is not a difference. Neither is an open field that only the workspace has.
 */
export function equalsStated(now: ItemDigest, before: ItemDigest): boolean {
  if (equalsExactly(now, before)) return true;
  const { lock, ...open } = before.open ?? {};
  const compared = lock === undefined || now.open?.["lock"] === undefined ? { ...before, open } : before;
  return equalsFixed(now, before) && statesNoOther(compared, now) && now.bundle === before.bundle;
}

/** Returns whether two versions of an item are equal in everything. */
export const equalsExactly = (a: ItemDigest, b: ItemDigest): boolean => a.digest === b.digest && a.bundle === b.bundle;

/** Returns a digest of the item with its bundle as text. */
export const formatDigest = ({ digest, bundle }: ItemDigest): string => (bundle === undefined ? digest : `${digest} ${bundle}`);
