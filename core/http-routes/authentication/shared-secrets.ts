import type { Payload } from "../../../contract/payload.ts";
import type { CredentialOf } from "./credential.ts";
import { areEqualTexts, isOneOf } from "./equal-texts.ts";
import type { Authentication } from "./outcome.ts";

/** Authenticates a request by the key in its header. */
export function verifyApiKey(
  { header, key, old_key }: CredentialOf<"api_key_auth">,
  { headers }: Pick<Payload, "headers">,
): Authentication {
  const receivedValue = headers[header];
  if (receivedValue === undefined) return { outcome: "refused", reason: "noCredential" };
  const isAccepted = isOneOf(receivedValue, old_key === undefined ? [key] : [key, old_key]);
  return isAccepted ? { outcome: "admitted", secretHeaders: [header] } : { outcome: "refused", reason: "wrongKey" };
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;
const CHALLENGE = 'Basic realm="svc", charset="UTF-8"';

/** Authenticates a request by user name and password (RFC 7617). */
export function verifyBasic(
  { username, password }: CredentialOf<"basic_http_auth">,
  { headers }: Pick<Payload, "headers">,
): Authentication {
  const encoded = BASIC.exec(headers["authorization"] ?? "")?.[1];
  if (encoded === undefined) return { outcome: "refused", reason: "noCredential", challenge: CHALLENGE };
  const receivedValue = Buffer.from(encoded, "base64").toString("utf8");
  // The user name has no colon, so the first one separates the two.
  return areEqualTexts(receivedValue, `${username}:${password}`)
    ? { outcome: "admitted", secretHeaders: ["authorization"] }
    : { outcome: "refused", reason: "wrongPassword", challenge: CHALLENGE };
}
