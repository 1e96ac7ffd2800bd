import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import type { AppHistoryJson, AppJson, AppListQuery, ListedAppJson } from "../../contract/routes/stored/apps.ts";
import {
  appHistoryObject,
  appObject,
  appPathObject,
  appVersionObject,
  matchesApp,
  type StoredApp,
  toAppJson,
  toListedAppJson,
} from "../../core/apps/app.ts";
import { paginate } from "../../core/objects/page.ts";
import { readStoredBody } from "../../core/objects/stored-body.ts";
import { getVersion, type Versioned } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { accessObjectKey } from "../../core/permissions/access.ts";
import { isListed, type ListViewer } from "../console/favorites.ts";
import { type ObjectCaller, permit } from "../identity/permit.ts";
import { loadAtPaths } from "../objects/load-page.ts";
import type { Uses } from "../uses.ts";
import { loadAccess } from "../workspaces/access.ts";

/** Returns the stored app. Throws `app.notFound`. */
function requireApp(found: StoredObject | undefined, path: string): StoredApp {
  if (!found) throw new SvcError("app.notFound", { path });
  return appObject.parse(found);
}

/** Returns the newest version of an app. Throws `app.notFound`. */
export async function getApp(deps: Uses<"objects" | "storage">, workspace: string, path: string): Promise<Versioned<AppJson>> {
  const found = await deps.objects.get(appObject.key(workspace, path));
  const app = requireApp(found, path);
  const json = await loadAppJson(deps, workspace, app, app.version);
  // A missing version was deleted together with its app, after the app was read.
  if (!json) throw new SvcError("app.notFound", { path });
  return { json, version: getVersion(found ?? {}) };
}

/** Returns an app with the value of a version. Throws `app.versionNotFound`. */
export async function getAppVersion(
  deps: Uses<"objects" | "storage">,
  { actor, action, workspace }: ObjectCaller,
  version: number,
): Promise<AppJson> {
  const notFound = () => new SvcError("app.versionNotFound", { version: String(version) });
  const found = await deps.objects.get(appVersionObject.key(workspace, version));
  if (!found) throw notFound();
  const pointer = await deps.objects.get(appPathObject.key(workspace, appVersionObject.parse(found).app));
  if (!pointer) throw notFound();
  const { path } = appPathObject.parse(pointer);
  permit(actor, action, { workspace, path }, notFound);
  const app = await deps.objects.get(appObject.key(workspace, path));
  const json = app && (await loadAppJson(deps, workspace, requireApp(app, path), version));
  if (!json) throw notFound();
  return json;
}

async function loadAppJson(
  { objects, storage }: Uses<"objects" | "storage">,
  workspace: string,
  app: StoredApp,
  version: number,
): Promise<AppJson | undefined> {
  const [found, history, { access }] = await Promise.all([
    objects.get(appVersionObject.key(workspace, version)),
    objects.list(appHistoryObject.partitionKey(workspace, app.id)),
    loadAccess(objects, workspace),
  ]);
  if (!found) return undefined;
  const stored = appVersionObject.parse(found);
  if (stored.app !== app.id) return undefined;
  return toAppJson(workspace, app, {
    versions: appHistoryObject.parseReadable(history).map((entry) => entry.version),
    version: stored,
    value: await readStoredBody(found, (s3Key) => storage.getObjectText(s3Key)),
    extraPerms: access.objects[accessObjectKey("app", app.path)] ?? {},
  });
}

/** Returns whether an app exists at a path. */
export async function appExists({ objects }: Uses<"objects">, workspace: string, path: string): Promise<boolean> {
  return (await objects.get(appObject.key(workspace, path))) !== undefined;
}

/**
 * Lists the apps that match a query and that the caller may see, newest first by default. Equal times are sorted by path, so that pages are
 * stable.
 */
export async function listApps(
  deps: Uses<"objects">,
  workspace: string,
  query: AppListQuery,
  viewer: ListViewer,
): Promise<ListedAppJson[]> {
  const [stored, { access }] = await Promise.all([loadAtPaths(deps, appObject, workspace, query), loadAccess(deps.objects, workspace)]);
  const order = query.order_desc === false ? 1 : -1;
  const found = stored
    .filter((app) => isListed(viewer, app.path, query) && matchesApp(app, query))
    .sort((a, b) => order * (a.editedAtMs - b.editedAtMs) || a.path.localeCompare(b.path));
  return paginate(found, query).map((app) => ({
    ...toListedAppJson(workspace, app, access.objects[accessObjectKey("app", app.path)] ?? {}),
    starred: viewer.starred.has(app.path),
  }));
}

/** Lists the versions of an app, newest first. Throws `app.notFound`. */
export async function listAppHistory({ objects }: Uses<"objects">, workspace: string, path: string): Promise<AppHistoryJson[]> {
  const { id } = requireApp(await objects.get(appObject.key(workspace, path)), path);
  const stored = await objects.list(appHistoryObject.partitionKey(workspace, id), { newestFirst: true });
  return appHistoryObject.parseReadable(stored).map(({ version, createdAtMs, createdBy, message }) => ({
    version,
    created_at: new Date(createdAtMs).toISOString(),
    created_by: createdBy,
    ...defined({ deployment_msg: message }),
  }));
}
