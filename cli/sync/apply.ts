import { dependencyFiles } from "../../contract/dependency-language.ts";
import { isJsonObject } from "../../contract/json-object.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import { type ApiClient, ApiError } from "../api/client.ts";
import { saveGroup, saveSettings, saveUser } from "./apply-workspace.ts";

export interface ApplyOptions {
  plainSecrets: boolean;
  message?: string | undefined;
}
type Fields = Record<string, unknown>;

/** The version of a script that a save has created, whose build may be awaited. */
export interface Saved {
  scriptHash?: string;
}

const fieldsOf = ({ value }: SyncItem): Fields => (isJsonObject(value) ? value : {});
/** Paths stay readable in addresses: their slashes are not encoded. */
export const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** The fields of files that are no fields of requests (api.md §6.4). */
function toBody(item: SyncItem): Fields {
  const { extra_perms, has_on_behalf_of, has_permissioned_as, ...fields } = fieldsOf(item);
  return { ...fields, path: item.path };
}

/** Creates or updates an item. `before`: the item as the service has it. A repeated call gives the same result. */
export async function saveItem(client: ApiClient, item: SyncItem, before: SyncItem | undefined, options: ApplyOptions): Promise<Saved> {
  const { kind, path } = item;
  const at = encodePath(path);
  switch (kind) {
    case "script":
      return saveScript(client, item, before, options);
    case "flow":
    case "app": {
      const body = { ...toBody(item), ...deployment(options), ...preserve(item) };
      await createOrUpdate(client, body, { create: `${kind}s/create`, update: `${kind}s/update/${at}`, exists: before !== undefined });
      await savePermissions(client, kind, item, before);
      return {};
    }
    case "folder": {
      const { path: _, ...body } = { ...fieldsOf(item), path };
      await createOrUpdate(
        client,
        { ...body, name: path },
        { create: "folders/create", update: `folders/update/${at}`, exists: before !== undefined },
        { name: undefined },
      );
      return {};
    }
    case "resource_type": {
      const body = { ...fieldsOf(item), name: path };
      await createOrUpdate(client, body, {
        create: "resources/type/create",
        update: `resources/type/update/${at}`,
        exists: before !== undefined,
      });
      return {};
    }
    case "variable": {
      const body = toBody(item);
      const query = body["is_secret"] === true ? { already_encrypted: !options.plainSecrets } : {};
      await createOrUpdate(
        client,
        body,
        { create: "variables/create", update: `variables/update/${at}`, exists: before !== undefined },
        {},
        query,
      );
      await savePermissions(client, kind, item, before);
      return {};
    }
    case "resource":
      await createOrUpdate(client, toBody(item), {
        create: "resources/create",
        update: `resources/update/${at}`,
        exists: before !== undefined,
      });
      await savePermissions(client, kind, item, before);
      return {};
    case "dependencies":
      await client.post("workspace_dependencies/create", {
        workspace_id: client.options.workspace,
        ...placeOfList(path),
        content: item.value,
      });
      return {};
    case "schedule":
      await saveSchedule(client, item, before);
      return {};
    case "user":
      await saveUser(client, item, before);
      return {};
    case "group":
      await saveGroup(client, item, before);
      return {};
    case "settings":
      await saveSettings(client, item);
      return {};
    case "encryption_key":
      await client.post("workspaces/encryption_key", { new_key: item.value });
      return {};
    default:
      await createOrUpdate(client, toBody(item), {
        create: `${kind}s/create`,
        update: `${kind}s/update/${at}`,
        exists: before !== undefined,
      });
      return {};
  }
}

/** Deletes an item, or archives a script. An item that is already gone is no error. */
export async function deleteItem(client: ApiClient, { kind, path, value }: SyncItem): Promise<void> {
  const at = encodePath(path);
  const remove = () => {
    if (kind === "script") return client.post(`scripts/archive/p/${at}`);
    if (kind === "resource_type") return client.delete(`resources/type/delete/${at}`);
    if (kind === "user") return client.delete(`users/delete/${encodePath(String((value as Fields)["username"]))}`);
    if (kind === "dependencies") {
      const { language, name } = placeOfList(path);
      return client.post(`workspace_dependencies/delete/${language}`, undefined, { query: { name } });
    }
    // A workspace always has settings and a key.
    if (kind === "settings" || kind === "encryption_key") return Promise.resolve();
    return client.delete(`${kind}s/delete/${at}`);
  };
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404 && error.code !== "workspace.notFound")) throw error;
  }
}

const deployment = ({ message }: ApplyOptions): Fields => (message ? { deployment_message: message } : {});
const preserve = (item: SyncItem): Fields => (fieldsOf(item)["on_behalf_of_email"] ? { preserve_on_behalf_of: true } : {});

interface SaveRoutes {
  create: string;
  update: string;
  exists: boolean;
}

/** Calls one of two routes, and the other one if another client has created or deleted the item since. */
async function createOrUpdate(
  client: ApiClient,
  body: Fields,
  routes: SaveRoutes,
  onlyOnUpdate: Fields = {},
  query: Record<string, boolean> = {},
): Promise<void> {
  const create = () => client.post(routes.create, body, { query });
  const update = () => client.post(routes.update, { ...body, ...onlyOnUpdate }, { query });
  const [first, second, codes] = routes.exists ? [update, create, /\.notFound$/] : [create, update, /\.(exists|pathTaken)$/];
  try {
    await first();
  } catch (error) {
    if (!(error instanceof ApiError && codes.test(error.code) && error.code !== "workspace.notFound")) throw error;
    await second();
  }
}

async function saveScript(client: ApiClient, item: SyncItem, before: SyncItem | undefined, options: ApplyOptions): Promise<Saved> {
  const { lock, ...body } = toBody(item);
  const request = {
    ...body,
    summary: body["summary"] ?? "",
    content: item.content,
    language: item.language,
    // Without a lock, the service resolves the packages itself.
    ...(typeof lock === "string" && lock !== "" ? { lock } : {}),
    auto_parent: true,
    ...deployment(options),
    ...preserve(item),
  };
  const hash = await client.post<string>("scripts/create", request, { query: { skip_if_noop: true } });
  await savePermissions(client, "script", item, before);
  return { scriptHash: hash.trim() };
}

async function saveSchedule(client: ApiClient, item: SyncItem, before: SyncItem | undefined): Promise<void> {
  const at = encodePath(item.path);
  const body = toBody(item);
  await createOrUpdate(client, body, { create: "schedules/create", update: `schedules/update/${at}`, exists: before !== undefined });
  const enabled = body["enabled"];
  if (before && typeof enabled === "boolean" && fieldsOf(before)["enabled"] !== enabled) {
    await client.post(`schedules/setenabled/${at}`, { enabled });
  }
}

/** Grants and revokes the extra permissions that differ. A file without them leaves them as they are. */
async function savePermissions(client: ApiClient, kind: string, item: SyncItem, before: SyncItem | undefined): Promise<void> {
  const wanted = fieldsOf(item)["extra_perms"];
  if (!isJsonObject(wanted)) return;
  const current = before && isJsonObject(fieldsOf(before)["extra_perms"]) ? (fieldsOf(before)["extra_perms"] as Fields) : {};
  const at = `${kind}/${encodePath(item.path)}`;
  for (const [owner, write] of Object.entries(wanted)) {
    if (current[owner] !== write) await client.post(`acls/add/${at}`, { owner, write });
  }
  for (const owner of Object.keys(current)) {
    if (!Object.hasOwn(wanted, owner)) await client.post(`acls/remove/${at}`, { owner });
  }
}

/** The languages of lists by file, with those that the service does not know and therefore refuses. */
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
