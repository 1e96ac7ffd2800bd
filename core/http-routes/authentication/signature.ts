import { createHmac } from "node:crypto";
import { isSvcError } from "../../../contract/errors.ts";
import type { Payload } from "../../../contract/payload.ts";
import { tryParseJson } from "../../payload/json.ts";
import type { CredentialOf } from "./credential.ts";
import { isOneOf } from "./equal-texts.ts";
import type { Authentication, RefusalReason } from "./outcome.ts";
import { findScheme, type SignatureScheme, type SignedParts } from "./signature-schemes.ts";

type SignatureCredential = CredentialOf<"signature_auth">;

/** Seconds since 1970 until the year 2286. Milliseconds have more digits. */
const SECONDS = /^\d{10}$/;
/** A message's id must not contain the separators of the signed text. */
const MESSAGE_ID = /^[A-Za-z0-9_-]{1,256}$/;

const refused = (reason: RefusalReason): Authentication => ({ outcome: "refused", reason });

/** A request whose body is decoded only if its headers can be valid. */
export interface SignedRequest {
  headers: Payload["headers"];
  /** Throws `body.tooLarge`, `body.encoding` and `body.notDecoded`. */
  readBytes: () => Promise<Buffer>;
}

/** Authenticates a request by the sender's signature over its bytes. A repeated request has the same signature. */
export async function verifySignature(
  credential: SignatureCredential,
  { headers, readBytes }: SignedRequest,
  nowMs: number,
): Promise<Authentication> {
  const scheme = findScheme(credential);
  const value = headers[scheme.header];
  if (value === undefined) return refused("noCredential");
  const parts = scheme.read(value, headers);
  if (parts.isRepeated) return refused("severalSignatures");
  const fault = findFault(scheme, parts, credential.tolerance_s, nowMs);
  if (fault) return refused(fault);
  // Anyone could sign with an empty key.
  const usable = [credential.secret, credential.old_secret]
    .flatMap((secret) => scheme.toKey(secret ?? "") ?? [])
    .filter((key) => key.length > 0);
  if (parts.signatures.length === 0) return refused("wrongSignature");
  const bytes = await readUnlessBroken(readBytes);
  if (!bytes) return refused("unreadableBody");
  const expected = usable.map((key) => sign(scheme, key, parts, bytes));
  const signatures = parts.signatures.map((text) => normalize(text, scheme.encoding));
  const [match] = expected.filter((text) => isOneOf(text, signatures));
  if (match === undefined) return refused("wrongSignature");
  const challenge = credential.preset === "slack" ? findSlackChallenge(bytes) : undefined;
  if (challenge !== undefined) return { outcome: "answered", contentType: "text/plain; charset=utf-8", body: challenge };
  // The clock of the sender may differ in both directions.
  const forS = scheme.hasTimestamp ? 2 * credential.tolerance_s : credential.tolerance_s;
  return { outcome: "admitted", secretHeaders: [scheme.header], replay: { id: match, forS } };
}

/** Without a valid signature, a caller learns nothing about the validity of the body. */
async function readUnlessBroken(readBytes: SignedRequest["readBytes"]): Promise<Buffer | undefined> {
  try {
    return await readBytes();
  } catch (error) {
    if (isSvcError(error)) return undefined;
    throw error;
  }
}

function findFault(scheme: SignatureScheme, { timestamp, id }: SignedParts, toleranceS: number, nowMs: number): RefusalReason | undefined {
  if (scheme.hasId && !MESSAGE_ID.test(id ?? "")) return "noCredential";
  if (!scheme.hasTimestamp) return undefined;
  if (timestamp === "") return "noCredential";
  if (!SECONDS.test(timestamp ?? "")) return "wrongTimestamp";
  return Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceS ? "tooOld" : undefined;
}

function sign(scheme: SignatureScheme, key: Buffer, parts: SignedParts, bytes: Buffer): string {
  const [before, after] = scheme.surround(parts);
  return createHmac(scheme.algorithm, key).update(before).update(bytes).update(after).digest(scheme.encoding);
}

const normalize = (text: string, encoding: "hex" | "base64") => (encoding === "hex" ? text.toLowerCase() : text);

/** Slack checks the address of an application with a request whose text the reply must repeat. */
function findSlackChallenge(bytes: Buffer): string | undefined {
  const receivedBody = tryParseJson(bytes.toString("utf8"))?.json as { type?: unknown; challenge?: unknown } | null | undefined;
  if (receivedBody?.type !== "url_verification" || typeof receivedBody.challenge !== "string") return undefined;
  return /^[\x21-\x7e]{1,500}$/.test(receivedBody.challenge) ? receivedBody.challenge : undefined;
}
