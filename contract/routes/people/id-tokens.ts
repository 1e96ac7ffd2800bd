import * as z from "zod";
import { workspaceId } from "../../common.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";

const open = { method: "GET", fn: "people", auth: "none", access: "open", status: 200, errors: [] } as const;
const { shortest, usual, longest } = limits.idTokenS;

export const idTokenJwkSchema = z.object({
  kty: z.string(),
  n: z.string(),
  e: z.string(),
  kid: z.string(),
  alg: z.string(),
  use: z.string(),
});
export type IdTokenJwk = z.output<typeof idTokenJwkSchema>;

export const idTokenRoutes = {
  createIdToken: defineRoute({
    method: "POST",
    fn: "people",
    auth: "token",
    name: "oidc.token",
    summary: "Create an OpenID Connect ID token of the caller for another service, such as a cloud provider.",
    path: "/api/w/{workspace}/oidc/token/{audience+}",
    access: { domain: "oidc", verb: "write", need: "member", target: "none" },
    audits: { kind: "Updated", resource: { param: "audience" } },
    params: z.object({
      workspace: workspaceId,
      audience: z.string().regex(/^[\x21-\x7e]{1,255}$/, "1 to 255 printable ASCII characters without spaces"),
    }),
    query: z.object({
      expires_in: z.coerce
        .number()
        .int()
        .min(shortest)
        .max(longest)
        .default(usual)
        .describe("Seconds. The token ends earlier if the token of the call does."),
    }),
    status: 200,
    reply: { text: "The token, a JWT." },
    errors: [],
  }),
  jwks: defineRoute({
    ...open,
    name: "oidc.jwks",
    summary: "Get the public keys that verify ID tokens.",
    path: "/.well-known/jwks.json",
    reply: { json: z.object({ keys: z.array(idTokenJwkSchema) }) },
  }),
  openidConfiguration: defineRoute({
    ...open,
    name: "oidc.configuration",
    summary: "Get the OpenID Connect metadata of the issuer of ID tokens.",
    path: "/.well-known/openid-configuration",
    reply: {
      json: z.object({
        issuer: z.string(),
        jwks_uri: z.string(),
        response_types_supported: z.array(z.string()),
        subject_types_supported: z.array(z.string()),
        id_token_signing_alg_values_supported: z.array(z.string()),
        claims_supported: z.array(z.string()),
      }),
    },
  }),
};
