import { createHash } from "node:crypto";
import { toCanonicalJson } from "../../contract/canonical-json.ts";
import { isJsonObject } from "../../contract/json-object.ts";
import { removeDerivedPolicy } from "../apps/app-file.ts";
import type { SyncItem } from "./item.ts";

/**
 * The digests of an item. `withoutLock`: of a script without its lock. A local script without a lock leaves the lock to the service, so it equals
 * the deployed script whatever lock that has.
 */
export interface ItemDigest {
  digest: string;
  withoutLock?: string;
  /** The item is a script that has a lock. */
  locked?: true;
  /** The digest of the bundle of a script that belongs to a codebase. Absent: it was not bundled. */
  bundle?: string;
}

/** Values that mean the same as an absent field, by kind of item. The service or a client may add them. */
const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  script: {
    description: "",
    lock: "",
    kind: "script",
    is_template: false,
    ws_error_handler_muted: false,
    no_main_func: false,
    visible_to_runner_only: false,
    validate_input: false,
  },
  flow: { description: "", ws_error_handler_muted: false, visible_to_runner_only: false, validate_input: false },
  variable: { description: "" },
  resource: { description: "" },
  resource_type: { description: "", is_fileset: false },
  folder: { summary: "", display_name: "" },
  group: { summary: "" },
};

/** Marks that a client of this API family adds to files (api.md §6.4). */
const MARKS = new Set(["has_on_behalf_of", "has_permissioned_as"]);

/** Returns the fields of an item that count: without marks, nulls, defaults, and what clients compute for apps. */
function comparableFields({ kind, value }: SyncItem): unknown {
  if (!isJsonObject(value)) return value;
  const meaningless = defaults[kind] ?? {};
  const isEmpty = (name: string, field: unknown) =>
    field === null ||
    field === undefined ||
    (Object.hasOwn(meaningless, name) && meaningless[name] === field) ||
    isEmptyObject(name, field);
  const { policy } = value;
  const stated = kind === "app" && isJsonObject(policy) ? { ...value, policy: removeDerivedPolicy(policy) } : value;
  return Object.fromEntries(Object.entries(stated).filter(([name, field]) => !MARKS.has(name) && !isEmpty(name, field)));
}

/** Fields that mean the same without entries as if they were absent. */
const OBJECTS = new Set(["extra_perms", "modules"]);

const isEmptyObject = (name: string, field: unknown) => OBJECTS.has(name) && isJsonObject(field) && Object.keys(field).length === 0;

const hash = (value: unknown): string => createHash("sha256").update(toCanonicalJson(value)).digest("hex");

export function digestItem(item: SyncItem): ItemDigest {
  const fields = comparableFields(item);
  const { kind, path, language, content } = item;
  const all = [kind, path, language ?? null, content ?? null];
  if (kind !== "script" || !isJsonObject(fields)) return { digest: hash([...all, fields]) };
  const { lock, ...others } = fields;
  return {
    digest: hash([...all, fields]),
    withoutLock: hash([...all, others]),
    ...(typeof lock === "string" && lock !== "" ? { locked: true } : {}),
  };
}

/** Returns whether a local item equals another version of it. Without a lock of its own, its lock is not compared. */
export function equalsLocal(local: ItemDigest, other: ItemDigest): boolean {
  return equalsLocalFiles(local, other) && local.bundle === other.bundle;
}

/** Returns whether the files of a local item equal those of another version. Bundles are made from more than these files. */
export function equalsLocalFiles(local: ItemDigest, other: ItemDigest): boolean {
  return local.withoutLock !== undefined && !local.locked ? local.withoutLock === other.withoutLock : local.digest === other.digest;
}

/**
 * Returns whether two versions of an item are equal in all that people state. The service adds a lock to a script that is saved without one, so a lock
 * that one of both lacks is no difference.
 */
export function equalsStated(a: ItemDigest, b: ItemDigest): boolean {
  if (equalsExactly(a, b)) return true;
  const isDerived = a.withoutLock !== undefined && !(a.locked && b.locked);
  return isDerived && a.withoutLock === b.withoutLock && a.bundle === b.bundle;
}

/** Returns whether two versions of an item are equal in everything. */
export const equalsExactly = (a: ItemDigest, b: ItemDigest): boolean => a.digest === b.digest && a.bundle === b.bundle;

/** Returns a digest of the item with its bundle as text. */
export const formatDigest = ({ digest, bundle }: ItemDigest): string => (bundle === undefined ? digest : `${digest} ${bundle}`);
