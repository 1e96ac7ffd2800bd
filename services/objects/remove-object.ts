import { type ErrorCode, isSvcError } from "../../contract/errors.ts";
import type { Uses } from "../uses.ts";
import type { Change, ObjectTarget, PathKind } from "./path-kind.ts";
import { writeObject } from "./write-object.ts";

/**
 * Deletes an object with its extra permissions, its sealed copies and the parts that `build` adds, and reports its deletion. Returns what `build`
 * returned. Throws the kind's `notFound` and `changed`, and `object.versionChanged`.
 */
export function removeObject<T, D extends Uses<"objects" | "nowMs">, S, C extends Omit<Change<T, S>, "value">>(
  deps: D,
  kind: PathKind<T, D, S>,
  target: ObjectTarget,
  build: (before: T) => Promise<C>,
): Promise<C> {
  // The object of a deletion was read.
  const change = { mode: "remove" as const, build: build as (before: T | undefined) => Promise<C> };
  return writeObject(deps, kind, { ...target, to: target.path }, change);
}

/** Waits for a deletion and returns whether it has found the object. `notFound`: the error of a missing one. */
export async function unlessNotFound(removal: Promise<unknown>, notFound: ErrorCode): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    if (!isSvcError(error) || error.code !== notFound) throw error;
    return false;
  }
}
