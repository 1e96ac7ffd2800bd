import * as z from "zod";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

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
});
export type KeyRing = z.infer<typeof keyRingSchema>;

/** The exportable key is sealed like a secret at a path that no variable can have. */
export const EXPORT_KEY_PATH = "#export-key";
/**
 * The number of data keys that are retained after a rotation, because a reader may still use a value that was sealed with a previous one.
 */
const KEPT_VERSIONS = 10;

/** Returns the version that writers must name. It changes only with the current version of the key. */
export const getRingVersion = ({ current }: Pick<KeyRing, "current">) => `v${current}`;

/** Starts a rotation: returns the ring with a new current version and exportable key, before values are sealed again. */
export function beginRotation(ring: KeyRing, wrapped: string, exportKey: string, untilMs: number): KeyRing {
  const current = ring.current + 1;
  return { current, wrapped: { ...ring.wrapped, [current]: wrapped }, exportKey, rotatingUntilMs: untilMs };
}

/** Ends a rotation after every value names the current version. */
export function endRotation({ current, wrapped, exportKey }: KeyRing): KeyRing {
  const retained = Object.entries(wrapped).filter(([version]) => Number(version) > current - KEPT_VERSIONS);
  return { current, wrapped: Object.fromEntries(retained), exportKey };
}

/** The workspace's data keys, wrapped, and its exportable key. */
export const keyRingObject = defineObject({
  name: "key ring",
  partition: "RING",
  ...inWorkspace,
  sort: () => "ring",
  schema: keyRingSchema,
});
