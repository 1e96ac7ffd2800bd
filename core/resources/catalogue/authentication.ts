import type { BuiltInType } from "../type.ts";
import { number, oneOf, secret, text } from "./fields.ts";

/** The types by which HTTP routes authenticate their callers (docs/http-routes.md). */
export const authentication: readonly BuiltInType[] = [
  {
    name: "api_key_auth",
    description: "Callers of an HTTP route have an API key in a header.",
    schema: {
      type: "object",
      properties: {
        header: text("Name of the header, X-API-Key by default"),
        key: secret("The key"),
        old_key: secret("A former key that is accepted until all callers have the new one"),
      },
      required: ["key"],
    },
  },
  {
    name: "basic_http_auth",
    description: "Callers of an HTTP route have a user name and a password.",
    schema: {
      type: "object",
      properties: { username: text("User name, without a colon"), password: secret("Password") },
      required: ["username", "password"],
    },
  },
  {
    name: "signature_auth",
    description: "Callers of an HTTP route sign the body of each request with a shared secret.",
    schema: {
      type: "object",
      properties: {
        preset: oneOf("Sender, or custom", ["stripe", "github", "slack", "standard_webhooks", "shopify", "custom"]),
        secret: secret("The shared secret"),
        old_secret: secret("A former secret that is accepted until the sender has the new one"),
        algorithm: oneOf("Only for custom: the hash of the HMAC, sha256 by default", ["sha1", "sha256", "sha512"]),
        header: text("Only for custom: the header with the signature"),
        prefix: text("Only for custom: the text before the signature, such as sha256="),
        encoding: oneOf("Only for custom: the encoding of the signature, hex by default", ["hex", "base64"]),
        template: text("Only for custom: the signed text, such as {timestamp}.{body}. {body} by default"),
        timestamp_header: text("Only for custom: the header with the time in seconds"),
        id_header: text("Only for custom: the header with the message's id, webhook-id by default"),
        tolerance_s: number("The largest age of a request in seconds, 300 by default"),
      },
      required: ["secret"],
    },
  },
  {
    name: "jwt_auth",
    description: "Callers of an HTTP route have a JSON Web Token of an issuer.",
    schema: {
      type: "object",
      properties: {
        issuer: text("The claim iss of accepted tokens"),
        audience: text("The claim aud of accepted tokens"),
        jwks_url: text("URL of the issuer's public keys"),
        public_key: { ...text("The issuer's public key or certificate in PEM format, instead of jwks_url"), format: "textarea" },
        secret: secret("The shared secret of 32 bytes or more, instead of public keys"),
        algorithms: { type: "array", items: { type: "string" }, description: "Accepted algorithms" },
        claims: { type: "object", description: "Claims that a token must have, with their values" },
      },
    },
  },
];
