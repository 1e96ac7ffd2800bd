import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

const shareSchema = z.object({
  id: z.string(),
  /** The SHA-256 of the link's token. The token itself is not stored. */
  hash: z.string(),
  /** The user who created the link, who must still be allowed to see the run. */
  by: z.string(),
  email: z.string(),
  superAdmin: z.boolean(),
  withArgs: z.boolean(),
  createdAtMs: z.number(),
  expiresAtMs: z.number(),
});
export type Share = z.infer<typeof shareSchema>;

/** The links that show a run. One item contains all of them, so that their number is limited. */
export const sharesObject = defineObject({
  name: "links that show a run",
  partition: "SHARES",
  ...inWorkspace,
  sort: (job: string) => job,
  schema: z.array(shareSchema),
});

const JOB_BYTES = 16;
const SECRET_BYTES = 32;
/** The 48 bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{64}$/;

/** Creates the token of a link: the id of the job, which locates the link, and 256 random bits. */
export function createShareToken(job: string): { token: string; hash: string } {
  const token = Buffer.concat([Buffer.from(job.replaceAll("-", ""), "hex"), randomBytes(SECRET_BYTES)]).toString("base64url");
  return { token, hash: hashShareToken(token) };
}

/** Returns the job that a token names, or `undefined` for text that is no token. */
export function parseShareToken(token: string): { job: string; hash: string } | undefined {
  if (!TOKEN.test(token)) return undefined;
  const id = Buffer.from(token, "base64url").toString("hex", 0, JOB_BYTES);
  const job = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { job, hash: hashShareToken(token) };
}

const hashShareToken = (token: string) => createHash("sha256").update(token).digest("base64url");

/** Returns the links that are valid at a time. */
export const listValidShares = (shares: readonly Share[], nowMs: number): Share[] =>
  shares.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
