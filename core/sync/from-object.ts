import { isJsonObject } from "../../contract/json/json-object.ts";
import type { ScriptLanguage } from "../../contract/languages.ts";
import type { SyncOptions } from "./config/config.ts";
import type { SyncItem } from "./item.ts";
import { removeServerFields } from "./server-fields.ts";

type Fields = Record<string, unknown>;

/**
 * The fields of every kind that replies contain and archives omit. Replies repeat the name of an object, show the state of its builds and tokens,
 * and compute `inferred_schema` and `is_linked`.
 */
const ONLY_IN_REPLIES = new Set([
  ...["name", "parent_hashes", "versions", "execution_mode", "raw_app", "inferred_schema", "lock_error_logs"],
  ...["ws_specific", "is_linked", "expires_at", "on_behalf_of"],
]);

/** Values in replies for fields that the author has not set, which archives omit. */
const UNSET: readonly (readonly [name: string, value: unknown])[] = [
  ["is_oauth", false],
  ["has_preprocessor", false],
];

/**
 * Returns the item of an object in the service's reply to `GET`: the same as in the archive. `path`: that of the item, because replies name it
 * differently. A `has_preprocessor` that the service has found in a source cannot be distinguished from one that an author has set.
 */
export function fromObject({ kind, path }: Pick<SyncItem, "kind" | "path">, object: object, { syncBehavior }: SyncOptions): SyncItem {
  const { on_behalf_of_email: email, ...others } = removeReplyFields(object);
  // With v1, files contain no identities.
  const fields = email === undefined || syncBehavior === "v1" ? others : { ...others, on_behalf_of_email: email };
  switch (kind) {
    case "script": {
      const { content, language, lock = "", ...value } = fields;
      const { hash } = object as { hash?: string };
      const item = { kind, path, language: language as ScriptLanguage, content: String(content), value: { ...value, lock } };
      return hash === undefined ? item : { ...item, version: hash };
    }
    case "app":
      return { kind, path, value: { ...fields, policy: withoutIdentity(fields["policy"]) } };
    case "resource":
      return { kind, path, value: { ...fields, value: fields["value"] ?? null } };
    case "folder":
      return { kind, path, value: { ...fields, owners: listOf(fields["owners"]) } };
    case "group":
      return { kind, path, value: toGroupFields(fields) };
    default: {
      // The mode of a trigger has the same meaning.
      const { enabled, ...rest } = fields;
      return { kind, path, value: kind.endsWith("_trigger") ? rest : fields };
    }
  }
}

function removeReplyFields(object: object): Fields {
  const fields = Object.entries(removeServerFields(object)).filter(
    ([name, value]) => !ONLY_IN_REPLIES.has(name) && !UNSET.some(([unset, empty]) => unset === name && empty === value),
  );
  return Object.fromEntries(fields);
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String).sort() : []);

/** The identity as which an app runs belongs to the workspace, not to the file. */
function withoutIdentity(policy: unknown): unknown {
  if (!isJsonObject(policy)) return policy;
  const { on_behalf_of, on_behalf_of_email, ...rest } = policy;
  return rest;
}

/** Administrators are those whom the group's permissions allow to write. They are not repeated among the members. */
function toGroupFields({ summary = "", members, extra_perms: perms }: Fields): Fields {
  const admins = Object.entries(isJsonObject(perms) ? perms : {}).flatMap(([owner, write]) => (write === true ? [owner] : []));
  const others = listOf(members).map((member) => `u/${member}`);
  return { summary, admins: admins.sort(), members: others.filter((member) => !admins.includes(member)) };
}
