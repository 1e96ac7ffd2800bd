import * as z from "zod";
import type { AuthenticationMethod } from "../../../contract/routes/triggers/http-fields.ts";
import { optionalField, secretField } from "../../secrets/credential-fields.ts";
import { toSentence } from "./schema-sentence.ts";

/** The type of the resource by which a method authenticates requests. The other methods need no resource. */
export const credentialTypes = {
  api_key: "api_key_auth",
  basic_http: "basic_http_auth",
  signature: "signature_auth",
  jwt: "jwt_auth",
} as const satisfies Partial<Record<AuthenticationMethod, string>>;
export type CredentialType = (typeof credentialTypes)[keyof typeof credentialTypes];

/** Returns the type of the resource that a method needs. */
export const findCredentialType = (method: AuthenticationMethod): CredentialType | undefined =>
  Object.hasOwn(credentialTypes, method) ? credentialTypes[method as keyof typeof credentialTypes] : undefined;

/** Returns whether routes use resources of a type. */
export const isCredentialType = (type: string | undefined): type is CredentialType =>
  Object.values(credentialTypes).some((candidate) => candidate === type);

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "must be the name of a header")
  .transform((name) => name.toLowerCase());

// A misspelt check would be no check, so a field without a meaning is refused.
const apiKey = z.strictObject({
  header: optionalField(headerName.default("x-api-key")),
  key: secretField,
  /** Accepted as well while callers change to the new key. */
  old_key: optionalField(secretField.optional()),
});

const basic = z.strictObject({
  username: z
    .string()
    .max(500)
    .regex(/^[^:]*$/, "must not contain a colon"),
  password: secretField,
});

const presetNames = ["stripe", "github", "slack", "standard_webhooks", "shopify"] as const;
const DEFAULT_TOLERANCE_S = 300;
const PLACEHOLDER = /\{(timestamp|id|body)\}/g;

const signature = z
  .strictObject({
    preset: optionalField(z.enum([...presetNames, "custom"]).default("custom")),
    secret: secretField,
    old_secret: optionalField(secretField.optional()),
    algorithm: optionalField(z.enum(["sha1", "sha256", "sha512"]).default("sha256")),
    header: optionalField(headerName.optional()),
    prefix: optionalField(z.string().max(100).default("")),
    encoding: optionalField(z.enum(["hex", "base64"]).default("hex")),
    template: optionalField(z.string().max(300).default("{body}")),
    timestamp_header: optionalField(headerName.optional()),
    id_header: optionalField(headerName.default("webhook-id")),
    tolerance_s: optionalField(z.number().int().min(1).max(86_400).default(DEFAULT_TOLERANCE_S)),
  })
  .superRefine((credential, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (credential.preset === "standard_webhooks") {
      for (const field of ["secret", "old_secret"] as const)
        if (credential[field] !== undefined && decodeStandardSecret(credential[field]) === undefined)
          refuse(field, "must be whsec_ and base64");
    }
    if (credential.preset !== "custom") return;
    if (credential.header === undefined) refuse("header", "is required without a preset");
    const fault = findTemplateFault(credential.template, credential.timestamp_header !== undefined);
    if (fault) refuse(...fault);
  });

/** Returns the field and the fault of a template if its signature would not cover all required parts. */
function findTemplateFault(template: string, hasTimestamp: boolean): [string, string] | undefined {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name]) => name);
  if (names.filter((name) => name === "body").length !== 1) return ["template", "must contain {body} once"];
  if (new Set(names).size !== names.length) return ["template", "must contain each placeholder once at most"];
  if (names.includes("timestamp") && !hasTimestamp) return ["timestamp_header", "is required, because the template contains {timestamp}"];
  if (hasTimestamp && !names.includes("timestamp"))
    return ["template", "must contain {timestamp}, because only what is signed can be trusted"];
  // Otherwise a sender could move characters from one part into the next one, with the same signature.
  const between = template
    .split(PLACEHOLDER)
    .filter((_, index) => index % 2 === 0)
    .slice(1, -1);
  if (between.some((text) => !/[^A-Za-z0-9_-]/.test(text)))
    return ["template", "must have a separator such as . or : between placeholders"];
  return undefined;
}

/** Returns the bytes of a secret of Standard Webhooks. */
export function decodeStandardSecret(text: string): Buffer | undefined {
  const encoded = text.replace(/^whsec_/, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.length < 8 ? undefined : bytes;
}

const SYMMETRIC = ["HS256", "HS384", "HS512"] as const;
const ASYMMETRIC = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const;
const LOOPBACK = /^(127\.0\.0\.1|\[::1\]|localhost)$/;
const keySetUrl = z
  .url("must be a URL")
  .max(2000)
  .refine((text) => {
    const { protocol, hostname, username } = new URL(text);
    return (protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname))) && username === "";
  }, "must be an https URL without a user");
const texts = z.union([z.string().max(500), z.array(z.string().max(500)).max(20)]);

const jwt = z
  .strictObject({
    issuer: optionalField(texts.optional()),
    audience: optionalField(texts.optional()),
    jwks_url: optionalField(keySetUrl.optional()),
    public_key: optionalField(secretField.optional()),
    secret: optionalField(secretField.optional()),
    algorithms: optionalField(
      z
        .array(z.enum([...SYMMETRIC, ...ASYMMETRIC]))
        .max(20)
        .optional(),
    ),
    claims: optionalField(z.record(z.string().max(200), z.union([z.string().max(1000), z.number(), z.boolean()])).optional()),
  })
  .superRefine(({ jwks_url, public_key, secret: shared, algorithms }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if ([jwks_url, public_key, shared].filter((key) => key !== undefined).length !== 1)
      refuse("jwks_url", "exactly one of jwks_url, public_key and secret is required");
    // RFC 7518 §3.2. A shorter secret can be found from one token.
    if (shared !== undefined && Buffer.byteLength(shared) < 32) refuse("secret", "must have at least 32 bytes");
    if (shared?.includes("PUBLIC KEY-----")) refuse("secret", "is a public key, which everyone may know; use public_key");
    if (public_key !== undefined && !/^-----BEGIN (PUBLIC KEY|CERTIFICATE)-----/.test(public_key.trim()))
      refuse("public_key", "must be a public key or a certificate in PEM format");
    const fitting: readonly string[] = shared === undefined ? ASYMMETRIC : SYMMETRIC;
    const other = algorithms?.find((name) => !fitting.includes(name));
    if (other) refuse("algorithms", `${other} does not fit the kind of key`);
  })
  .transform(({ algorithms, ...fields }) => ({
    ...fields,
    // A token that names another algorithm is refused before any key is used.
    algorithms: algorithms && algorithms.length > 0 ? algorithms : fields.secret === undefined ? [...ASYMMETRIC] : ["HS256" as const],
  }));

const schemas = { api_key_auth: apiKey, basic_http_auth: basic, signature_auth: signature, jwt_auth: jwt } as const;
export type Credential = { [T in CredentialType]: { type: T } & z.output<(typeof schemas)[T]> }[CredentialType];
export type CredentialOf<T extends CredentialType> = Extract<Credential, { type: T }>;

/** Returns the credential that a resource's value describes, or a sentence about its fault that contains no value. */
export function parseCredential(type: CredentialType, value: unknown): Credential | string {
  const parsed = schemas[type].safeParse(value);
  return parsed.success ? ({ type, ...parsed.data } as Credential) : toSentence(parsed.error);
}
