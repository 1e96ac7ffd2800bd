import { limits } from "../../contract/limits.ts";
import type { Reply } from "./reply.ts";

/** The parts of a call in which it names the object that it changes. */
interface NamingCall {
  params?: unknown;
  body?: unknown;
  query?: unknown;
}

const NAMES = [
  "path",
  "script_path",
  "name",
  "username",
  "email",
  "id",
  "hash",
  "version",
  "key",
  "file_key",
  "src_file_key",
  "audience",
  "client",
];

/**
 * Returns the name of the changed object for its entry in the audit log, and never more than a name: bodies contain secrets, and a caller may
 * send a whole token as its prefix.
 */
export function findAuditedResource({ params, body, query }: NamingCall): string | undefined {
  const parts = [params, body, query].map((part) => (typeof part === "object" && part !== null ? (part as Record<string, unknown>) : {}));
  const prefix = parts[0]?.["token_prefix"];
  if (typeof prefix === "string") return prefix.slice(0, limits.tokenPrefixChars);
  for (const part of parts) {
    for (const name of NAMES) {
      const value = part[name];
      if (typeof value === "string" || typeof value === "number") return String(value).slice(0, 400);
    }
  }
  return undefined;
}

/** Routes whose body is the changed object itself, which has one name: no text in the body names it. */
export const fixedResources: Readonly<Record<string, string>> = {
  "workspaces.editDefaultScripts": "default_scripts",
  "workspaces.editOperatorSettings": "operator_settings",
};

/** The objects that replies name for the audit log, beside what they send. */
const named = new WeakMap<Reply, string>();

/** Returns the reply, which names the changed object for its entry in the audit log. The route must be in `resourceInReply`. */
export function nameAuditedResource(reply: Reply, resource: string): Reply {
  named.set(reply, resource);
  return reply;
}

const readTokenPrefix = ({ body }: Reply) => body.slice(0, limits.tokenPrefixChars);
const readHash = ({ body }: Reply) => body;
const readName = (reply: Reply) => named.get(reply);

/**
 * Returns the name of the changed object from the reply, for routes whose call does not contain it: a new token, the hash of a source, the
 * path of a version, a list of package versions without a name, the receiver of a webhook, and a device.
 */
export const resourceInReply: Readonly<Record<string, (reply: Reply) => string | undefined>> = {
  "tokens.create": readTokenPrefix,
  "tokens.impersonate": readTokenPrefix,
  "users.refreshToken": readTokenPrefix,
  "scripts.createSnapshot": readName,
  "scripts.storeTemp": readHash,
  "scripts.archiveByHash": readName,
  "scripts.deleteByHash": readName,
  "flows.updateByHash": readName,
  "workspaces.editWebhook": readName,
  "auth.decideDeviceRequest": readName,
  "dependencies.create": readName,
  "dependencies.archive": readName,
  "dependencies.delete": readName,
  "webhooks.create": readName,
  "webhooks.update": readName,
};
