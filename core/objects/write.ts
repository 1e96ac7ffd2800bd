/** The key of an item in the table of objects: its partition key and its sort key. */
export interface ObjectKey {
  pk: string;
  sk: string;
  /** The version of the value's format, if it is not the first one. A write of `{ ...key, value }` stores it. */
  format?: number | undefined;
}

/** The user who has written a stored object last, and when (epoch ms). */
interface LastChange {
  by: string;
  atMs: number;
}

/** A stored object: its key, its value, which is validated by its schema when it is read, and the fields that conditions compare. */
export interface StoredObject extends ObjectKey {
  value?: unknown;
  /** The version that the next writer must name, for example the newest hash of a script. */
  version?: string | undefined;
  /** Set once by the first writer: the child of a script version. */
  next?: string | undefined;
  /** The build state of a version, separate from the value, so that neither writer overwrites the other field. */
  build?: unknown;
  /** The author of the version, for objects that users save. */
  changed?: LastChange | undefined;
  expiresAtS?: number | undefined;
}
export type ObjectChange = ObjectKey & Partial<Pick<StoredObject, "value" | "version" | "next" | "build" | "changed">>;

/**
 * The condition of a write. `childless`: the item exists without `next`. `unversioned`: it exists without a version. `absentOrExpiredAtS`:
 * it does not exist or has expired, because TTL deletes late.
 */
export type Expectation = "absent" | "present" | "childless" | "unversioned" | { version: string } | { absentOrExpiredAtS: number };

/** One part of a transaction. */
export type ObjectWrite =
  | { op: "put"; object: StoredObject; expect?: Expectation | undefined }
  | { op: "update"; change: ObjectChange; expect?: Expectation | undefined }
  | { op: "remove"; key: ObjectKey; expect?: Expectation | undefined }
  | { op: "check"; key: ObjectKey; expect: Expectation };

export const write = {
  put: (object: StoredObject, expect?: Expectation): ObjectWrite => ({ op: "put", object, expect }),
  /** Replaces each field of `change` as a whole. */
  update: (change: ObjectChange, expect?: Expectation): ObjectWrite => ({ op: "update", change, expect }),
  remove: ({ pk, sk }: ObjectKey, expect?: Expectation): ObjectWrite => ({ op: "remove", key: { pk, sk }, expect }),
  check: ({ pk, sk }: ObjectKey, expect: Expectation): ObjectWrite => ({ op: "check", key: { pk, sk }, expect }),
};

/** Returns the expectation that a stored object has not changed since it was read. */
export const unchangedSince = ({ version }: Pick<StoredObject, "version">): Expectation =>
  version === undefined ? "unversioned" : { version };
