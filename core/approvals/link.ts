import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { approverName } from "../../contract/common.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

/** The object of a link: one approval of a step (`step`), or one approval for the next step of a flow that requests approval (`flow`). */
export interface LinkSubject {
  workspace: string;
  /** The id of the step's job, or of the flow's job. */
  id: string;
  resumeId: number;
  /** Empty if the link names no approver. */
  approver: string;
  level: "step" | "flow";
}

interface LinkKey {
  id: string;
  key: Buffer;
}

/** A workspace's keys for links. New links are signed with the current key. An old key remains valid for the maximum duration of a run. */
export const linkKeysSchema = z.object({
  current: z.string(),
  keys: z.record(z.string(), z.object({ wrapped: z.string(), madeAtMs: z.number() })),
});
export type LinkKeys = z.infer<typeof linkKeysSchema>;

function digest({ id: keyId, key }: LinkKey, { workspace, id, resumeId, approver, level }: LinkSubject): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify([workspace, id, resumeId, approver, level, keyId]))
    .digest();
}

/** Signs a link. Returns 64 hex digits. */
export const signLink = (key: LinkKey, linked: LinkSubject): string => digest(key, linked).toString("hex");

const SIGNATURE = /^[0-9a-f]{64}$/;
/** Returns whether a text has the form of a signature. */
export const isLinkSignature = (text: string): boolean => SIGNATURE.test(text);

/** Returns the level that a signature is valid for, or `undefined` if the signature is invalid. */
export function findLinkLevel(
  keys: readonly LinkKey[],
  signature: string,
  of: Omit<LinkSubject, "level">,
): LinkSubject["level"] | undefined {
  if (!isLinkSignature(signature)) return undefined;
  const actual = Buffer.from(signature, "hex");
  for (const key of keys) {
    for (const level of ["step", "flow"] as const) if (timingSafeEqual(actual, digest(key, { ...of, level }))) return level;
  }
  return undefined;
}

/** Builds the URLs of a link. Opening the approval page decides nothing, so it is the URL to send. */
export function buildLinkUrls(baseUrl: string, { workspace, id, resumeId, approver }: Omit<LinkSubject, "level">, signature: string) {
  const query = approver === "" ? "" : `?${new URLSearchParams({ approver })}`;
  const tail = `${id}/${resumeId}/${signature}${query}`;
  return {
    approvalPage: `${baseUrl}/approve/${workspace}/${tail}`,
    resume: `${baseUrl}/api/w/${workspace}/jobs_u/resume/${tail}`,
    cancel: `${baseUrl}/api/w/${workspace}/jobs_u/cancel/${tail}`,
  };
}

/** Parses the token of the approval page, `<resume id>.<signature>.<approver>`. Returns `undefined` if it is invalid. */
export function parseApprovalToken(token: string): { resumeId: number; signature: string; approver: string } | undefined {
  const [, resumeId, signature, approver] = /^(\d{1,10})\.([0-9a-f]{64})(?:\.([\s\S]{0,250}))?$/.exec(token) ?? [];
  if (resumeId === undefined || signature === undefined) return undefined;
  const name = approverName.safeParse(approver ?? "");
  return name.success ? { resumeId: Number(resumeId), signature, approver: name.data } : undefined;
}

/** A signed link to the approval of a flow, as its holder sends it. */
export type SignedLink = Omit<LinkSubject, "workspace" | "level"> & { signature: string };

/** Formats the token with which the holder of a link may view the flow: `<id>.<resume id>.<signature>.<approver>`. */
export const formatViewToken = ({ id, resumeId, signature, approver }: SignedLink) => `${id}.${resumeId}.${signature}.${approver}`;

/** Parses a view token. Returns `undefined` if it is invalid. */
export function parseViewToken(token: string): SignedLink | undefined {
  const [, id, rest = ""] = /^([0-9a-f-]{36})\.([\s\S]*)$/.exec(token) ?? [];
  const link = parseApprovalToken(rest);
  return id === undefined || link === undefined ? undefined : { id, ...link };
}

/** The wrapped keys that sign approval links. */
export const linkKeysObject = defineObject({
  name: "keys of links",
  partition: "LINKS",
  ...inWorkspace,
  sort: () => "keys",
  schema: linkKeysSchema,
});
