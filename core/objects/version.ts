import { randomUUID } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { type ObjectWrite, type StoredObject, unchangedSince, write } from "./write.ts";

/** The versions that a caller accepts for the object that a write replaces. */
export type ExpectedVersions = readonly string[];

/** The reply of a stored object, with the version that a write of it can name. */
export interface Versioned<T> {
  json: T;
  version: string;
}

/** The version of an object that was stored without one. */
const NO_VERSION = "0";

/** Returns the version of a stored object as callers see it. */
export const getVersion = ({ version }: Pick<StoredObject, "version">): string => version ?? NO_VERSION;

/** Returns the fields of a write that give a stored object a new version and name its author. */
export const createVersion = (by: string, atMs: number): Required<Pick<StoredObject, "version" | "changed">> => ({
  version: randomUUID(),
  changed: { by, atMs },
});

/** The author of changes by the service itself. */
export const SERVICE = "svc";

interface Replacement {
  stored: StoredObject;
  value: unknown;
  /** Absent: the service itself. */
  by: string | undefined;
  atMs: number;
}

/** Returns the write that replaces the value of an unchanged object, and gives it a new version with its author. */
export const replaceUnchanged = ({ stored, value, by = SERVICE, atMs }: Replacement): ObjectWrite =>
  write.put(
    { pk: stored.pk, sk: stored.sk, ...defined({ format: stored.format }), value, ...createVersion(by, atMs) },
    unchangedSince(stored),
  );

/** Checks that a stored object has one of the versions that a caller expects. Throws `object.versionChanged`. */
export function requireVersion(
  stored: Pick<StoredObject, "version" | "changed">,
  { path, expected }: { path: string; expected?: ExpectedVersions | undefined },
): void {
  const version = getVersion(stored);
  if (expected === undefined || expected.includes(version)) return;
  const { changed } = stored;
  throw new SvcError("object.versionChanged", { path, version, ...defined({ by: changed?.by, at: changed && toIsoTime(changed.atMs) }) });
}
