import { defined, mapDefined } from "../../../contract/defined.ts";
import { type CredentialOf, decodeStandardSecret } from "./credential.ts";

type Headers = Readonly<Record<string, string | undefined>>;

/** The parts of a request, other than the body, on which a signature depends. */
export interface SignedParts {
  /** The signatures, as text. One of them must fit. */
  signatures: readonly string[];
  /** `true`: the header arrived more than once, so the value is ambiguous. */
  isRepeated: boolean;
  /** The text of the timestamp. `undefined` if the sender does not sign one. */
  timestamp?: string | undefined;
  id?: string | undefined;
}

/** A scheme for signing requests. */
export interface SignatureScheme {
  algorithm: "sha1" | "sha256" | "sha512";
  encoding: "hex" | "base64";
  /** Returns the texts that are signed before and after the body. */
  surround: (parts: SignedParts) => readonly [before: string, after: string];
  hasTimestamp: boolean;
  hasId: boolean;
  /** The header with the signature, in lower case. */
  header: string;
  read: (value: string, headers: Headers) => SignedParts;
  /** Returns the key for a secret, or `undefined` if the secret contains none. */
  toKey: (secret: string) => Buffer | undefined;
}

const utf8 = (secret: string) => Buffer.from(secret, "utf8");
/** Repeated headers are joined by a comma, which no single signature contains. */
const single = (value: string, prefix: string): SignedParts => ({
  signatures: value.startsWith(prefix) ? [value.slice(prefix.length)] : [],
  isRepeated: value.includes(","),
});
const MOST_SIGNATURES = 10;

function readStripe(value: string): SignedParts {
  const pairs = value.split(",").map((pair) => pair.trim().split("="));
  const of = (name: string) => pairs.flatMap(([key, ...rest]) => (key === name ? [rest.join("=")] : []));
  const times = of("t");
  return { signatures: of("v1").slice(0, MOST_SIGNATURES), isRepeated: times.length > 1, timestamp: times[0] ?? "" };
}

/** Several signatures of one header are separated by spaces. */
const readStandard = (value: string, headers: Headers): SignedParts => ({
  signatures: value
    .split(" ")
    .filter((part) => part.startsWith("v1,"))
    .slice(0, MOST_SIGNATURES)
    .map((part) => part.slice(3)),
  isRepeated: value.includes(", "),
  timestamp: headers["webhook-timestamp"] ?? "",
  id: headers["webhook-id"] ?? "",
});

const base = { algorithm: "sha256", encoding: "hex", hasTimestamp: false, hasId: false, toKey: utf8 } as const;

/** The senders with a documented scheme. */
const presets: Record<Exclude<CredentialOf<"signature_auth">["preset"], "custom">, SignatureScheme> = {
  // https://docs.stripe.com/webhooks#verify-manually
  stripe: {
    ...base,
    hasTimestamp: true,
    header: "stripe-signature",
    read: readStripe,
    surround: ({ timestamp }) => [`${timestamp}.`, ""],
  },
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
  github: { ...base, header: "x-hub-signature-256", read: (value) => single(value, "sha256="), surround: () => ["", ""] },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    ...base,
    hasTimestamp: true,
    header: "x-slack-signature",
    read: (value, headers) => ({ ...single(value, "v0="), timestamp: headers["x-slack-request-timestamp"] ?? "" }),
    surround: ({ timestamp }) => [`v0:${timestamp}:`, ""],
  },
  // https://www.standardwebhooks.com
  standard_webhooks: {
    ...base,
    encoding: "base64",
    hasTimestamp: true,
    hasId: true,
    header: "webhook-signature",
    read: readStandard,
    surround: ({ id, timestamp }) => [`${id}.${timestamp}.`, ""],
    toKey: decodeStandardSecret,
  },
  // https://shopify.dev/docs/apps/build/webhooks/verify-deliveries
  shopify: { ...base, encoding: "base64", header: "x-shopify-hmac-sha256", read: (value) => single(value, ""), surround: () => ["", ""] },
};

function toCustomScheme(credential: CredentialOf<"signature_auth">): SignatureScheme {
  const { algorithm, encoding, header = "", prefix, template, timestamp_header: timed, id_header: idHeader } = credential;
  const hasId = template.includes("{id}");
  const [before = "", after = ""] = template.split("{body}");
  const fill = (text: string, { timestamp = "", id = "" }: SignedParts) =>
    text.replace(/\{(timestamp|id)\}/g, (_, name) => (name === "id" ? id : timestamp));
  return {
    algorithm,
    encoding,
    header,
    hasTimestamp: timed !== undefined,
    hasId,
    read: (value, headers) => ({
      ...single(value, prefix),
      ...defined({ timestamp: mapDefined(timed, (name) => headers[name] ?? "") }),
      ...(hasId ? { id: headers[idHeader] ?? "" } : {}),
    }),
    surround: (parts) => [fill(before, parts), fill(after, parts)],
    toKey: utf8,
  };
}

/** Returns the signature scheme of a route's senders. */
export const findScheme = (credential: CredentialOf<"signature_auth">): SignatureScheme =>
  credential.preset === "custom" ? toCustomScheme(credential) : presets[credential.preset];
