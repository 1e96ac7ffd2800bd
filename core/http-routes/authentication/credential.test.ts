import { describe, expect, it } from "vitest";
import type { AuthenticationMethod } from "../../../contract/routes/triggers/http-fields.ts";
import { type CredentialType, decodeStandardSecret, findCredentialType, parseCredential } from "./credential.ts";

const PEM = "-----BEGIN PUBLIC KEY-----\nMAo=\n-----END PUBLIC KEY-----";
const long = "s".repeat(32);
const ASYMMETRIC = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
const signature = { preset: "custom", algorithm: "sha256", prefix: "", encoding: "hex", template: "{body}", id_header: "webhook-id" };

describe("a resource of a method", () => {
  it.each<[AuthenticationMethod, CredentialType | undefined]>([
    ["none", undefined],
    ["windmill", undefined],
    ["api_key", "api_key_auth"],
    ["basic_http", "basic_http_auth"],
    ["signature", "signature_auth"],
    ["jwt", "jwt_auth"],
  ])("of %s has the type %s", (method, type) => {
    expect(findCredentialType(method)).toBe(type);
  });
});

describe("the value of a credential", () => {
  it.each<[title: string, type: CredentialType, value: object, credential: object]>([
    ["an API key has a header by default", "api_key_auth", { key: "k" }, { header: "x-api-key", key: "k" }],
    ["the name of a header is in lower case", "api_key_auth", { key: "k", header: "X-Shop" }, { header: "x-shop", key: "k" }],
    [
      "an empty text is a field that was left out",
      "api_key_auth",
      { key: "k", header: "", old_key: "" },
      { header: "x-api-key", key: "k" },
    ],
    ["null is a field that was left out", "api_key_auth", { key: "k", old_key: null }, { header: "x-api-key", key: "k" }],
    ["a user may have no name", "basic_http_auth", { username: "", password: "p" }, { username: "", password: "p" }],
    [
      "a signature covers the body by default",
      "signature_auth",
      { secret: "s", header: "X-Sign" },
      { ...signature, secret: "s", header: "x-sign", tolerance_s: 300 },
    ],
    [
      "a signature may cover a time and an id, with separators",
      "signature_auth",
      { secret: "s", header: "x-sign", template: "{id}.{timestamp}.{body}", timestamp_header: "x-time" },
      { ...signature, secret: "s", header: "x-sign", tolerance_s: 300, template: "{id}.{timestamp}.{body}", timestamp_header: "x-time" },
    ],
    [
      "a preset needs no header",
      "signature_auth",
      { preset: "github", secret: "s", tolerance_s: 60 },
      { ...signature, preset: "github", secret: "s", tolerance_s: 60 },
    ],
    ["a shared secret signs with HS256 by default", "jwt_auth", { secret: long }, { secret: long, algorithms: ["HS256"] }],
    ["an empty list of algorithms is the default", "jwt_auth", { secret: long, algorithms: [] }, { secret: long, algorithms: ["HS256"] }],
    ["a public key never verifies with a shared secret", "jwt_auth", { public_key: PEM }, { public_key: PEM, algorithms: ASYMMETRIC }],
    [
      "chosen algorithms count alone",
      "jwt_auth",
      { jwks_url: "https://keys.example/set", algorithms: ["ES256"], audience: ["a", "b"], claims: { admin: true } },
      { jwks_url: "https://keys.example/set", algorithms: ["ES256"], audience: ["a", "b"], claims: { admin: true } },
    ],
    [
      "keys may come from this machine without TLS",
      "jwt_auth",
      { jwks_url: "http://127.0.0.1:9/k" },
      { jwks_url: "http://127.0.0.1:9/k", algorithms: ASYMMETRIC },
    ],
  ])("%s", (_, type, value, credential) => {
    expect(parseCredential(type, value)).toEqual({ type, ...credential });
  });

  const custom = { secret: "s", header: "x-sign" };
  it.each<[title: string, type: CredentialType, value: unknown, field: string, message: string]>([
    ["a text", "api_key_auth", "k", "value", "wrong type"],
    ["no key", "api_key_auth", {}, "key", "wrong type"],
    ["an empty key", "api_key_auth", { key: "" }, "key", "wrong type or length"],
    ["a header with a space", "api_key_auth", { key: "k", header: "x key" }, "header", "must be the name of a header"],
    ["an unknown field", "api_key_auth", { key: "k", keys: "x" }, "keys", "its type has no such field"],
    ["a user name with a colon", "basic_http_auth", { username: "a:b", password: "p" }, "username", "must not contain a colon"],
    ["no header for a signature", "signature_auth", { secret: "s" }, "header", "is required without a preset"],
    ["an unknown preset", "signature_auth", { preset: "gitlab", secret: "s" }, "preset", "wrong type"],
    ["a template without the body", "signature_auth", { ...custom, template: "{id}" }, "template", "must contain {body} once"],
    ["a template with the body twice", "signature_auth", { ...custom, template: "{body}.{body}" }, "template", "must contain {body} once"],
    ["a template with an id twice", "signature_auth", { ...custom, template: "{id}.{id}.{body}" }, "template", "each placeholder once"],
    [
      "a signed time without its header",
      "signature_auth",
      { ...custom, template: "{timestamp}.{body}" },
      "timestamp_header",
      "is required",
    ],
    ["a time that is not signed", "signature_auth", { ...custom, timestamp_header: "x-time" }, "template", "must contain {timestamp}"],
    ["parts without a separator", "signature_auth", { ...custom, template: "{id}{body}" }, "template", "must have a separator"],
    ["parts between which a letter stands", "signature_auth", { ...custom, template: "{id}v{body}" }, "template", "must have a separator"],
    [
      "a secret of Standard Webhooks that is no base64",
      "signature_auth",
      { preset: "standard_webhooks", secret: "whsec_?" },
      "secret",
      "must be whsec_",
    ],
    ["a tolerance of more than a day", "signature_auth", { ...custom, tolerance_s: 86_401 }, "tolerance_s", "wrong type or length"],
    ["no key of a token", "jwt_auth", {}, "jwks_url", "exactly one"],
    ["two keys of a token", "jwt_auth", { secret: long, public_key: PEM }, "jwks_url", "exactly one"],
    ["a short secret of a token", "jwt_auth", { secret: "s".repeat(31) }, "secret", "at least 32 bytes"],
    ["a public key as a secret", "jwt_auth", { secret: PEM }, "secret", "is a public key"],
    ["a private key", "jwt_auth", { public_key: PEM.replaceAll("PUBLIC", "PRIVATE") }, "public_key", "must be a public key"],
    [
      "a symmetric algorithm with a public key",
      "jwt_auth",
      { public_key: PEM, algorithms: ["ES256", "HS256"] },
      "algorithms",
      "HS256 does not fit",
    ],
    ["an asymmetric algorithm with a secret", "jwt_auth", { secret: long, algorithms: ["RS256"] }, "algorithms", "RS256 does not fit"],
    ["no algorithm", "jwt_auth", { secret: long, algorithms: ["none"] }, "algorithms.0", "wrong type"],
    ["keys of another host without TLS", "jwt_auth", { jwks_url: "http://keys.example/set" }, "jwks_url", "must be an https URL"],
    ["a user in the address of keys", "jwt_auth", { jwks_url: "https://a@keys.example/set" }, "jwks_url", "must be an https URL"],
  ])("cannot be %s", (_, type, value, field, message) => {
    const fault = parseCredential(type, value);
    expect(fault).toEqual(expect.stringContaining(`The field ${field} of the resource cannot be used: `));
    expect(fault).toEqual(expect.stringContaining(message));
  });

  it.each<[string, number | undefined]>([
    ["whsec_c2VjcmV0LXNlY3JldA==", 13],
    ["c2VjcmV0LXNlY3JldA==", 13],
    ["whsec_c2hvcnQ=", undefined],
    ["whsec_", undefined],
    ["whsec_c2VjcmV0 LXNlY3JldA==", undefined],
    ["whsec_c2VjcmV0_XNlY3JldA", undefined],
  ])("a secret of Standard Webhooks as %j has %s bytes", (text, bytes) => {
    expect(decodeStandardSecret(text)?.length).toBe(bytes);
  });
});
