import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import { defineObject, inQueue, inWorkspace, sortableMs } from "../objects/define-object.ts";
import { SERVICE } from "../objects/version.ts";

/**
 * A workspace's keys. KMS wraps the data keys, and every sealed value names the version of its key. Previous versions are retained while a value
 * may still name them, so that every value remains readable during a rotation.
 */
export const keyRingSchema = z.object({
  current: z.number(),
  /** Wrapped data keys in base64, by version. */
  wrapped: z.record(z.string(), z.string()),
  /** The exportable key, sealed under the data key of the version it names. */
  exportKey: z.string(),
  /** Set during a replacement. No other replacement can start until then. */
  rotatingUntilMs: z.number().optional(),
  /**
   * The replacement that has not ended: its author, its beginning, the number of secrets that it seals again and of those that it has handled, the
   * path of the last one of these, and the number of writes of this progress.
   */
  rotation: z
    .object({
      by: z.string(),
      startedAtMs: z.number(),
      total: z.number(),
      done: z.number(),
      after: z.string().optional(),
      writes: z.number(),
    })
    .optional(),
  /** The paths of secrets that the last replacement could not decrypt, at most `MAX_UNREADABLE`. */
  unreadable: z.array(z.string()).optional(),
});
export type KeyRing = z.infer<typeof keyRingSchema>;

/** The exportable key is sealed like a secret at a path that no variable can have. */
export const EXPORT_KEY_PATH = "#export-key";
/**
 * The number of data keys that are retained after a rotation, because a reader may still use a value that was sealed with a previous one.
 */
const KEPT_VERSIONS = 10;
/** The number of paths of unreadable secrets that a ring names. */
export const MAX_UNREADABLE = 100;

/**
 * Returns the version that writers must name. It changes with the current version of the key, and with the progress of a rotation, so that one
 * process at a time continues it.
 */
export const getRingVersion = ({ current, rotation }: Pick<KeyRing, "current" | "rotation">) =>
  `v${current}${rotation?.writes ? `.${rotation.writes}` : ""}`;

/** The time after which a rotation without progress has died: longer than the timeout of the function that rotates. Another one may begin then. */
const ROTATION_MS = 60_000;

/** Starts a rotation: returns the ring with a new current version and exportable key, before values are sealed again. */
export function beginRotation(ring: KeyRing, next: { wrapped: string; exportKey: string; by: string; atMs: number }): KeyRing {
  const current = ring.current + 1;
  return {
    current,
    wrapped: { ...ring.wrapped, [current]: next.wrapped },
    exportKey: next.exportKey,
    rotatingUntilMs: next.atMs + ROTATION_MS,
    rotation: { by: next.by, startedAtMs: next.atMs, total: 0, done: 0, writes: 0 },
  };
}

export interface RotationStep {
  /** The number of secrets that are left. Absent: as before. */
  left?: number;
  /** The path of the last secret that was handled. Absent: as before. */
  after?: string | undefined;
  /** The paths of further secrets that could not be decrypted. */
  unreadable?: readonly string[];
  atMs: number;
  /** The process ends, and another one may continue at once. */
  isReleased?: boolean;
}

/**
 * Returns the ring of a rotation after its next step. The number of all secrets is that of the beginning, unless more are left. An earlier release
 * stored no progress.
 */
export function continueRotation(
  ring: KeyRing,
  { left, after = ring.rotation?.after, unreadable = [], atMs, isReleased = false }: RotationStep,
): KeyRing {
  const begun = ring.rotation ?? { by: SERVICE, startedAtMs: atMs, total: 0, done: 0, writes: 0 };
  const total = Math.max(begun.total, left ?? 0);
  const done = left === undefined ? begun.done : total - left;
  const allUnreadable = [...(ring.unreadable ?? []), ...unreadable].slice(0, MAX_UNREADABLE);
  return {
    ...ring,
    rotatingUntilMs: atMs + (isReleased ? 0 : ROTATION_MS),
    rotation: { ...begun, total, done, ...defined({ after }), writes: begun.writes + 1 },
    ...(allUnreadable.length > 0 ? { unreadable: allUnreadable } : {}),
  };
}

/**
 * Ends a rotation after every value names the current version. If some could not be decrypted, all data keys are retained: a restored value may
 * name any of them.
 */
export function endRotation({ current, wrapped, exportKey, unreadable }: KeyRing): KeyRing {
  const retained = Object.entries(wrapped).filter(([version]) => unreadable !== undefined || Number(version) > current - KEPT_VERSIONS);
  return { current, wrapped: Object.fromEntries(retained), exportKey, ...defined({ unreadable }) };
}

/** The workspace's data keys, wrapped, and its exportable key. */
export const keyRingObject = defineObject({
  name: "key ring",
  partition: "RING",
  ...inWorkspace,
  sort: () => "ring",
  schema: keyRingSchema,
});

/** A rotation that has not ended, sorted by the time from which another process may continue it. Each write of such a ring replaces its entry. */
export const dueRotationObject = defineObject({
  name: "due rotation",
  partition: "ROTATIONS",
  sort: (atMs: number, workspace: string) => `${sortableMs(atMs)}#${workspace}`,
  ...inQueue(1),
  schema: z.object({ of: z.string(), dueMs: z.number() }),
});

/** The event with which housekeeping makes function `objects` continue the rotation of a workspace's key that is due at a time (epoch ms). */
export const rotationCallSchema = z.object({ rotate: z.string(), dueMs: z.number() });
export type RotationCall = z.infer<typeof rotationCallSchema>;
