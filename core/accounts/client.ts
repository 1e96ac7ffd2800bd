import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { defineInstanceSetting } from "../objects/setting.ts";
import type { StoredObject } from "../objects/write.ts";

/** The setting of the instance with the clients by which users connect accounts of other services. */
export const CONNECT_CLIENTS = "oauths";

const LOOPBACK = /^(127\.0\.0\.1|\[::1\]|localhost)$/;
/** Without TLS, anyone on the network path could read the code and the tokens. The guarded connections refuse loopback on AWS. */
const endpoint = z
  .url()
  .max(2000)
  .refine((text) => {
    const { protocol, hostname, username, hash } = new URL(text);
    return (protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname))) && username === "" && hash === "";
  }, "must be an https URL without a user and a fragment");

/** Parameters by which the service itself protects a connection. */
const RESERVED = new Set([
  "client_id",
  "client_secret",
  "redirect_uri",
  "response_type",
  "response_mode",
  "state",
  "scope",
  "code",
  "request",
  "request_uri",
]);
const extraParams = z
  .record(z.string().regex(/^\w{1,100}$/), z.string().max(500))
  .refine(
    (params) => Object.keys(params).every((name) => !RESERVED.has(name) && !name.startsWith("code_")),
    "names a parameter of the service",
  );

const clientFields = {
  id: z.string().min(1).max(500),
  connect_config: z.object({
    auth_url: endpoint,
    token_url: endpoint,
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/, "1 to 300 printable characters"))
      .max(100)
      .default([]),
    /** Parameters of the URL for the browser, such as `access_type`. */
    extra_params: extraParams.optional(),
    /** Sends id and secret in the body of token requests instead of the header `Authorization`. */
    req_body_auth: z.boolean().optional(),
  }),
};
const name = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, "lower-case letters, digits, '-' and '_' only");

const sentClientSchema = z.strictObject({ ...clientFields, secret: z.string().max(2000).optional() });
/** The clients in the form that an administrator sends. Without `secret`, the stored secret remains. */
export const connectClientsSchema = z
  .record(name, sentClientSchema)
  .refine((clients) => Object.keys(clients).length <= limits.connectClients, `at most ${limits.connectClients}`);
export type SentClients = z.output<typeof connectClientsSchema>;

/** A stored client. Its secret is sealed; a public client has none. */
const storedClientSchema = z.object({ ...clientFields, sealedSecret: z.string().optional() });
export type StoredClient = z.output<typeof storedClientSchema>;
const storedClientsSchema = z.record(z.string(), storedClientSchema);
export const connectClientsSetting = defineInstanceSetting(CONNECT_CLIENTS, storedClientsSchema);

/** A client with its secret, for requests to the other service. */
export interface ConnectClient {
  name: string;
  id: string;
  secret: string | undefined;
  authUrl: string;
  tokenUrl: string;
  scopes: string[];
  extraParams: Record<string, string>;
  inBody: boolean;
}

/** Returns a stored client with its opened secret. */
export function toConnectClient(name: string, { id, connect_config: config }: StoredClient, secret: string | undefined): ConnectClient {
  return {
    name,
    id,
    secret,
    authUrl: config.auth_url,
    tokenUrl: config.token_url,
    scopes: config.scopes,
    extraParams: config.extra_params ?? {},
    inBody: config.req_body_auth ?? false,
  };
}

/**
 * Returns the stored, sealed secret for a client that was sent without one. A secret remains only with the address for which it was entered, so
 * that a change of the address cannot send it elsewhere.
 */
export function findKeptSecret(before: StoredClient | undefined, client: SentClients[string]): string | undefined {
  const isSame = before?.id === client.id && before.connect_config.token_url === client.connect_config.token_url;
  return isSame ? before.sealedSecret : undefined;
}

/** Returns the setting for administrators, without secrets. */
export function toShownClients({ value }: Pick<StoredObject, "value">): unknown {
  const stored = storedClientsSchema.safeParse(value);
  if (!stored.success) return null;
  return Object.fromEntries(Object.entries(stored.data).map(([name, { id, connect_config }]) => [name, { id, connect_config }]));
}
