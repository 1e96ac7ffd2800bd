import type { Actor } from "../../people/actor.ts";

/** The reason for a refusal. The reply does not contain it; `last_failures` of the route does. */
export type RefusalReason =
  | "noCredential"
  | "wrongKey"
  | "wrongPassword"
  | "wrongSignature"
  /** The body is too large or not in its encoding, so that no signature over it can be checked. */
  | "unreadableBody"
  | "severalSignatures"
  | "tooOld"
  | "wrongTimestamp"
  | "wrongToken"
  | "wrongAlgorithm"
  | "wrongClaim"
  | "noAccess"
  | "noConfiguration";

/** The outcome of a request's authentication. */
export type Authentication =
  | {
      outcome: "admitted";
      /** Arguments that the authentication adds, such as `jwt`. */
      args?: Readonly<Record<string, unknown>>;
      /** The caller, where the credential is a token of this service. */
      actor?: Actor;
      /** Headers that contain the credential, in lower case. The job does not receive them. */
      secretHeaders?: readonly string[];
      /** Identifies a signed request: a repeated one starts nothing new within `forS` seconds. */
      replay?: { id: string; forS: number };
    }
  /** The sender only checks the address, so that no job starts. */
  | { outcome: "answered"; contentType: string; body: string }
  /** `challenge` is the header `WWW-Authenticate`. */
  | { outcome: "refused"; reason: RefusalReason; challenge?: string }
  /** The keys of the issuer cannot be reached. */
  | { outcome: "unavailable"; retryAfterS: number };
