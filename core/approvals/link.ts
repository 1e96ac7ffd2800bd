import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod";

/** What a link lets its holder decide: one event of a step (`step`), or one kept for whichever step of a flow asks next (`flow`). */
export interface LinkSubject {
  workspace: string;
  /** Of the step's job, or of the flow's. */
  id: string;
  resumeId: number;
  /** Empty: it is for nobody by name. */
  approver: string;
  level: "step" | "flow";
}

interface LinkKey {
  id: string;
  key: Buffer;
}

/** A workspace's keys for links: new links are signed with the current one, old ones hold as long as the run that they are of may last. */
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

/** 64 hex digits. */
export const signLink = (key: LinkKey, linked: LinkSubject): string => digest(key, linked).toString("hex");

/** Which level a signature is for; `undefined`: it is none of ours. */
export function findLinkLevel(
  keys: readonly LinkKey[],
  signature: string,
  of: Omit<LinkSubject, "level">,
): LinkSubject["level"] | undefined {
  if (!/^[0-9a-f]{64}$/.test(signature)) return undefined;
  const sent = Buffer.from(signature, "hex");
  for (const key of keys) {
    for (const level of ["step", "flow"] as const) if (timingSafeEqual(sent, digest(key, { ...of, level }))) return level;
  }
  return undefined;
}

/** The addresses that a link stands in. The page decides nothing by being opened: it is the one that may be sent. */
export function buildLinkUrls(baseUrl: string, { workspace, id, resumeId, approver }: Omit<LinkSubject, "level">, signature: string) {
  const query = approver === "" ? "" : `?${new URLSearchParams({ approver })}`;
  const tail = `${id}/${resumeId}/${signature}${query}`;
  return {
    approvalPage: `${baseUrl}/approve/${workspace}/${tail}`,
    resume: `${baseUrl}/api/w/${workspace}/jobs_u/resume/${tail}`,
    cancel: `${baseUrl}/api/w/${workspace}/jobs_u/cancel/${tail}`,
  };
}

/** A link's parts as one text, as the approval page sends them back: `<resume id>.<signature>.<approver>`. */
export function parseApprovalToken(token: string): { resumeId: number; signature: string; approver: string } | undefined {
  const [, resumeId, signature, approver] = /^(\d{1,10})\.([0-9a-f]{64})(?:\.([\s\S]{0,250}))?$/.exec(token) ?? [];
  return resumeId === undefined || signature === undefined
    ? undefined
    : { resumeId: Number(resumeId), signature, approver: approver ?? "" };
}

type Sent = Omit<LinkSubject, "workspace" | "level"> & { signature: string };

/** The same with what the link is for: `<id>.<resume id>.<signature>.<approver>`. Its holder sees the flow by it. */
export const formatViewToken = ({ id, resumeId, signature, approver }: Sent) => `${id}.${resumeId}.${signature}.${approver}`;

export function parseViewToken(token: string): Sent | undefined {
  const [, id, rest = ""] = /^([0-9a-f-]{36})\.([\s\S]*)$/.exec(token) ?? [];
  const link = parseApprovalToken(rest);
  return id === undefined || link === undefined ? undefined : { id, ...link };
}
