import * as z from "zod";

/**
 * A workspace's keys. Data keys are wrapped by KMS and named by version; every sealed value names its version. Versions before
 * the current one stay while a value may still name them, so that nothing is unreadable while keys are replaced.
 */
export const keyRingSchema = z.object({
  current: z.number(),
  /** Version → wrapped data key, base64. */
  wrapped: z.record(z.string(), z.string()),
  /** The exportable key, sealed under the data key of the version it names. */
  exportKey: z.string(),
  /** Set during a replacement. No other replacement can start until then. */
  rotatingUntilMs: z.number().optional(),
});
export type KeyRing = z.infer<typeof keyRingSchema>;

/** The exportable key is sealed like a secret at a path that no variable can have. */
export const EXPORT_KEY_PATH = "#export-key";
/** Of old data keys, after everything was sealed anew: what a reader still holds in its hands was sealed with one of them. */
const KEPT_VERSIONS = 10;

/** What writers name as the state that they have sealed for: it changes with the current version alone. */
export const getRingVersion = ({ current }: Pick<KeyRing, "current">) => `v${current}`;

/** The ring with a new current version and exportable key, before anything is sealed anew. */
export function beginRotation(ring: KeyRing, wrapped: string, exportKey: string, untilMs: number): KeyRing {
  const current = ring.current + 1;
  return { current, wrapped: { ...ring.wrapped, [current]: wrapped }, exportKey, rotatingUntilMs: untilMs };
}

/** The ring once every value names the current version. */
export function endRotation({ current, wrapped, exportKey }: KeyRing): KeyRing {
  const kept = Object.entries(wrapped).filter(([version]) => Number(version) > current - KEPT_VERSIONS);
  return { current, wrapped: Object.fromEntries(kept), exportKey };
}
