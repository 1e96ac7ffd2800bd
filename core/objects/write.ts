import type { ObjectKey } from "./keys.ts";

/** A stored object: its key, its value (checked by the noun's own schema where it is read), and what conditions compare. */
export interface StoredObject extends ObjectKey {
  value?: unknown;
  /** What the next writer must name: a script's newest hash, for one. */
  version?: string | undefined;
  /** Set once by whoever comes first: the child of a script version. */
  next?: string | undefined;
  /** How far a version's build is: apart from the value, so that neither is written over by who changes the other. */
  build?: unknown;
  expiresAtS?: number | undefined;
}
export type ObjectChange = ObjectKey & Partial<Pick<StoredObject, "value" | "version" | "next" | "build">>;

/**
 * What a write expects to find; it happens only then. `childless`: there, and nobody has set `next`; `unversioned`: there, without a version;
 * `absentOrExpiredAtS`: TTL deletes late.
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
  /** Each field named in `change` is replaced whole. */
  update: (change: ObjectChange, expect?: Expectation): ObjectWrite => ({ op: "update", change, expect }),
  remove: ({ pk, sk }: ObjectKey, expect?: Expectation): ObjectWrite => ({ op: "remove", key: { pk, sk }, expect }),
  check: ({ pk, sk }: ObjectKey, expect: Expectation): ObjectWrite => ({ op: "check", key: { pk, sk }, expect }),
};

/** Returns the expectation that a stored object has not changed since it was read. */
export const unchangedSince = ({ version }: Pick<StoredObject, "version">): Expectation =>
  version === undefined ? "unversioned" : { version };
