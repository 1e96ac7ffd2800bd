import { createHash } from "node:crypto";
import * as z from "zod";
import { toCanonicalJson } from "./json/canonical-json.ts";

const digest = z.string().regex(/^[0-9a-f]{64}$/, "SHA-256 in hex");

/**
 * A submitted value: the digest of its JSON text and the location of the value. The entry's hash covers only the digest, so the value can be erased
 * while the chain still holds.
 */
const valuesSchema = z.object({
  digest,
  /** The job that owns the value. The value is deleted with that job, unless it is stored here (`head`). */
  of: z.string(),
  place: z
    .discriminatedUnion("in", [
      z.object({ in: z.literal("head"), json: z.string() }),
      z.object({ in: z.literal("item"), ref: z.string() }),
      z.object({ in: z.literal("s3"), key: z.string(), bytes: z.number().optional() }),
    ])
    .optional(),
});

/** One event of a gate: an approval, a rejection or a timeout. The entries of a run form a chain: each contains the hash of the previous one. */
export const approvalEntrySchema = z.object({
  /** From 1, without a gap. */
  n: z.int().min(1),
  prev: digest,
  hash: digest,
  workspace: z.string(),
  /** The first job of the run, and the job of the flow that contains the gate. */
  root: z.string(),
  flow: z.string(),
  gate: z.string(),
  module: z.string(),
  flowPath: z.string().optional(),
  flowVersion: z.number().optional(),
  /** The hash of the flow's code. */
  code: z.string().optional(),
  what: z.enum(["approved", "rejected", "expired"]),
  /** This event decided the gate. An approval may be one of several. */
  decides: z.boolean(),
  /** The approver. Empty after a timeout. `chat`: the person in a chat who decided there, as vendor, team and id. */
  who: z.object({
    name: z.string().optional(),
    email: z.string().optional(),
    resumeId: z.number().optional(),
    chat: z.string().optional(),
  }),
  atMs: z.number(),
  /** Digest of the content shown to approvers. Absent for events before the gate opened. */
  shown: digest.optional(),
  values: valuesSchema.optional(),
  reason: z.string().optional(),
});
export type ApprovalEntry = z.output<typeof approvalEntrySchema>;

/** The hash that precedes the first entry of a chain. */
export const CHAIN_START = "0".repeat(64);

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Computes the hash of an entry from the previous hash and all fields of the entry. */
export function computeEntryHash({ hash: _, prev, values, ...fields }: Omit<ApprovalEntry, "hash"> & { hash?: string }): string {
  return sha256(`${prev}\n${toCanonicalJson({ ...fields, ...(values ? { values: { digest: values.digest, of: values.of } } : {}) })}`);
}

/**
 * `missing`: the entry has the wrong number. `foreign`: it belongs to another run or workspace. `changed`: it does not match its hash.
 * `broken`: it does not follow the previous entry. `values`: the submitted values do not match their digest.
 */
export interface ChainFault {
  n: number;
  why: "missing" | "foreign" | "changed" | "broken" | "values";
}

/** Returns the first fault in the complete, ordered chain of a run. Only the signed heads show that the end of a chain is missing. */
export function verifyChain(entries: readonly ApprovalEntry[], of: Pick<ApprovalEntry, "workspace" | "root">): ChainFault | undefined {
  let prev = CHAIN_START;
  for (const [index, entry] of entries.entries()) {
    const n = index + 1;
    if (entry.n !== n) return { n, why: "missing" };
    if (entry.workspace !== of.workspace || entry.root !== of.root) return { n, why: "foreign" };
    if (computeEntryHash(entry) !== entry.hash) return { n, why: "changed" };
    if (entry.prev !== prev) return { n, why: "broken" };
    if (entry.values?.place?.in === "head" && sha256(entry.values.place.json) !== entry.values.digest) return { n, why: "values" };
    prev = entry.hash;
  }
  return undefined;
}

/** The newest entries of the runs whose record has grown, signed. A workspace's anchors form a chain as well. */
export const anchorSchema = z.object({
  n: z.int().min(1),
  prev: digest,
  hash: digest,
  workspace: z.string(),
  /** The day in UTC, as `2026-11-22`. A day with many runs has several anchors. */
  day: z.string(),
  heads: z.array(z.object({ root: z.string(), n: z.int(), hash: digest })),
  atMs: z.number(),
  /** HMAC-SHA-256 of the 64 characters of `hash`, made by KMS, in base64, and the ARN of the key. */
  mac: z.string(),
  key: z.string(),
});
export type Anchor = z.output<typeof anchorSchema>;

/** Computes the hash of an anchor from the previous hash and all fields of the anchor. */
export function computeAnchorHash({ n, prev, workspace, day, heads, atMs }: Omit<Anchor, "hash" | "mac" | "key">): string {
  return sha256(`${prev}\n${toCanonicalJson({ n, workspace, day, heads, atMs })}`);
}

/** Returns the first fault in the complete, ordered anchors of a workspace. Signatures are not checked. */
export function verifyAnchors(anchors: readonly Anchor[], workspace: string): ChainFault | undefined {
  let prev = CHAIN_START;
  for (const [index, anchor] of anchors.entries()) {
    const n = index + 1;
    if (anchor.n !== n) return { n, why: "missing" };
    if (anchor.workspace !== workspace) return { n, why: "foreign" };
    if (computeAnchorHash(anchor) !== anchor.hash) return { n, why: "changed" };
    if (anchor.prev !== prev) return { n, why: "broken" };
    prev = anchor.hash;
  }
  return undefined;
}

/** Returns the first signed head that is no longer part of its run's chain. */
export function findLostHead(heads: Anchor["heads"], chain: readonly ApprovalEntry[]): Anchor["heads"][number] | undefined {
  return heads.find((head) => chain[head.n - 1]?.hash !== head.hash);
}
