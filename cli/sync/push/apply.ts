import { dependencyFiles } from "../../../contract/dependency-language.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { findKind } from "../../../contract/kinds/kinds.ts";
import { emptyValueOf, openFieldsOf } from "../../../core/sync/defaults.ts";
import { fieldsOf, isSecret, type SyncItem } from "../../../core/sync/item.ts";
import type { ApiClient } from "../../api/client.ts";
import { at, createOrUpdate, ifMatch, nounOf, unlessGone } from "../../api/item-operations.ts";
import type { Bundle } from "../../codebases/bundle.ts";
import { saveGroup, saveSettings, saveUser } from "./apply-workspace.ts";
import { toConflict, unlessSaved } from "./conflict.ts";
import { createAfterParent, toParent } from "./script-parent.ts";

export interface ApplyOptions {
  plainSecrets: boolean;
  message?: string | undefined;
  /** The bundle that runs of a script execute. */
  bundle?: Bundle | undefined;
  /** Replaces also what another client has saved since the item was read. */
  force?: boolean;
  /** Refuses to replace what another client has saved since the item was read, as far as the service has stated its version. */
  conditional?: boolean;
  /** Creates a version of a script that is equal to the previous one, so that it is built again. */
  again?: boolean;
}
type Fields = Record<string, unknown>;

/** The version of a script that a save has created, whose build may be awaited. */
export interface Saved {
  scriptHash?: string;
}

/** Returns whether the routes of a kind take the path as `name`. */
const isNamed = (kind: string): boolean => findKind(kind)?.id === "name";
/** Returns whether the extra permissions of a kind have separate routes. Those of folders are fields of the folder. */
const hasPermissionRoutes = (kind: string): boolean => kind !== "folder" && openFieldsOf(kind).includes("extra_perms");

/** Returns the fields that requests accept, which are not all fields of a file (api.md §6.4). */
function toBody(item: SyncItem): Fields {
  const { has_on_behalf_of, has_permissioned_as, ...fields } = fieldsOf(item);
  if (isNamed(item.kind)) return fields;
  const { extra_perms, ...rest } = fields;
  return { ...rest, path: item.path };
}

/**
 * Creates or updates an item. `before`: the item in the service. Idempotent. Throws `CommandError` for a script that another client has saved
 * since, unless `force` is true.
 */
export async function saveItem(client: ApiClient, item: SyncItem, before: SyncItem | undefined, options: ApplyOptions): Promise<Saved> {
  const saved = item.kind === "script" ? await saveScript(client, item, before, options) : await saveOther(client, item, before, options);
  if (hasPermissionRoutes(item.kind)) await savePermissions(client, item, before);
  return saved ?? {};
}

async function saveOther(client: ApiClient, item: SyncItem, before: SyncItem | undefined, options: ApplyOptions): Promise<void> {
  switch (item.kind) {
    case "dependencies":
      await client.callAny("dependencies.create", {
        body: { workspace_id: client.options.workspace, ...placeOfList(item.path), content: item.value },
      });
      return;
    case "user":
      return saveUser(client, item, before);
    case "group":
      return saveGroup(client, item, before);
    case "settings":
      return saveSettings(client, item);
    case "encryption_key":
      await client.callAny("workspaces.setEncryptionKey", { body: { new_key: item.value } });
      return;
    default:
      return saveObject(client, item, before, options);
  }
}

/** Saves an object of a kind that has one route to create and one to update. */
async function saveObject(client: ApiClient, item: SyncItem, before: SyncItem | undefined, options: ApplyOptions): Promise<void> {
  const { kind, path } = item;
  const hasVersions = findKind(kind)?.hasVersions;
  const body = { ...toBody(item), ...(hasVersions ? { ...deployment(options), ...preserve(item) } : {}) };
  const query = isSecret(item) ? { already_encrypted: !options.plainSecrets } : {};
  const create = isNamed(kind) ? { ...body, name: path } : body;
  const version = options.conditional ? before?.version : undefined;
  const update = { ...listRemoved(item, before), ...body };
  await unlessSaved(client, item, options, () =>
    createOrUpdate(client, { kind, path, create, update, exists: before !== undefined, query, version, createOnly: options.conditional }),
  );
  const { enabled = emptyValueOf(kind, "enabled") } = fieldsOf(item);
  if (kind === "schedule" && before && typeof enabled === "boolean" && fieldsOf(before)["enabled"] !== enabled) {
    await client.call.schedules.setEnabled({ path, body: { enabled } });
  }
}

/** Returns the fields that an item no longer has, with the values that remove them: a request does not change fields that it omits. */
function listRemoved(item: SyncItem, before: SyncItem | undefined): Fields {
  const names = Object.keys(fieldsOf(before)).filter(
    (name) => fieldsOf(item)[name] === undefined && !openFieldsOf(item.kind).includes(name),
  );
  return Object.fromEntries(names.map((name) => [name, emptyValueOf(item.kind, name)]));
}

/**
 * Deletes an item, or archives a script. A missing item is not an error. `conditional`: only the version that was read. Throws `CommandError`
 * for one that another client has saved since.
 */
export async function deleteItem(client: ApiClient, item: SyncItem, { conditional = false } = {}): Promise<void> {
  const { kind, path } = item;
  const condition = ifMatch(conditional ? item.version : undefined);
  // A workspace always has settings and a key.
  if (kind === "settings" || kind === "encryption_key") return;
  const remove = () => {
    if (kind === "user") return client.call.users.delete({ username: String(fieldsOf(item)["username"]) });
    if (kind === "dependencies") {
      const { language, name } = placeOfList(path);
      return client.callAny("dependencies.delete", { language, query: { name } });
    }
    const noun = nounOf(kind);
    if (noun === "scripts") return client.call.scripts.archiveByPath({ path, ...condition });
    return client.callAny(`${noun}.delete`, { ...at(path), ...condition });
  };
  try {
    await unlessGone(remove);
  } catch (error) {
    throw toConflict(item, error) ?? error;
  }
}

const deployment = ({ message }: ApplyOptions): Fields => (message ? { deployment_message: message } : {});
const preserve = (item: SyncItem): Fields => (fieldsOf(item)["on_behalf_of_email"] ? { preserve_on_behalf_of: true } : {});

async function saveScript(client: ApiClient, item: SyncItem, before: SyncItem | undefined, options: ApplyOptions): Promise<Saved> {
  const { lock, ...body } = toBody(item);
  const request = {
    ...body,
    summary: body["summary"] ?? "",
    content: item.content,
    language: item.language,
    // Without a lock, the service resolves the packages itself.
    ...(typeof lock === "string" && lock !== "" ? { lock } : {}),
    ...toParent(before, options),
    ...deployment(options),
    ...preserve(item),
  };
  const { bundle } = options;
  if (bundle === undefined) {
    const create = () => createScript(client, request, { skip_if_noop: !options.again });
    return { scriptHash: await createAfterParent(client, item, create) };
  }
  const codebase = bundle.digest;
  const saved = { ...item, value: { ...fieldsOf(item), codebase } };
  return { scriptHash: await createAfterParent(client, saved, () => saveBundle(client, { ...request, codebase }, bundle)) };
}

/** Creates a version of a script and returns its hash. The service checks the fields of its file. */
const createScript = async (client: ApiClient, body: Fields, query: { skip_if_noop: boolean }): Promise<string> =>
  String(await client.callAny("scripts.create", { body, query }));

/** Saves a script with its bundle. A bundle that the newest version already has is not sent again. */
async function saveBundle(client: ApiClient, request: Fields, { digest, bytes }: Bundle): Promise<string> {
  const newest: Fields | undefined = await client.find.scripts.getByPath({ path: String(request["path"]) });
  const isEqual = (field: string) => newest?.[field] === request[field];
  // A version that runs as another user needs its bundle again.
  if (newest && newest["codebase"] === digest && ["content", "language", "on_behalf_of_email"].every(isEqual)) {
    // The service reuses the bundle of the parent, which must be this version: another client may save one at the same time.
    const { auto_parent: _, parent_hash = newest["hash"], ...fields } = request;
    return createScript(client, { ...fields, parent_hash }, { skip_if_noop: true });
  }
  const form = new FormData();
  form.append("script", JSON.stringify(request));
  form.append("file", new Blob([bytes]));
  return client.call.scripts.createSnapshot({ body: form });
}

/** Grants and revokes the extra permissions that differ. A file without them does not change them. */
async function savePermissions(client: ApiClient, item: SyncItem, before: SyncItem | undefined): Promise<void> {
  const permissions = fieldsOf(item)["extra_perms"];
  if (!isJsonObject(permissions)) return;
  const granted = fieldsOf(before)["extra_perms"];
  const current = isJsonObject(granted) ? granted : {};
  const object = { kind: item.kind, path: item.path };
  for (const [owner, write] of Object.entries(permissions)) {
    if (current[owner] !== write) await client.callAny("acls.add", { ...object, body: { owner, write } });
  }
  for (const owner of Object.keys(current)) {
    if (!Object.hasOwn(permissions, owner)) await client.call.acls.remove({ ...object, body: { owner } });
  }
}

/** The languages of lists by file, including those that the service does not know and therefore refuses. */
const languages: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(dependencyFiles).map(([language, file]) => [file, language])),
  "composer.json": "php",
  "modules.json": "powershell",
};

/** Returns the language and the name of a list of package versions: `[<name>.]<file>`. */
function placeOfList(file: string): { language: string; name?: string } {
  const ending = Object.keys(languages).find((one) => file === one || file.endsWith(`.${one}`)) ?? file;
  const name = file.slice(0, -ending.length - 1);
  return { language: languages[ending] ?? ending, ...(name ? { name } : {}) };
}
