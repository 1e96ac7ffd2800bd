import { randomUUID } from "node:crypto";
import type { AccessRule } from "../../contract/access/access-rule.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { FavoriteJson, FavoriteKind } from "../../contract/routes/console/favorites.ts";
import { appObject } from "../../core/apps/app.ts";
import { type Favorite, favoritesObject, isStarred, removeFavorite } from "../../core/console/favorites.ts";
import { flowListingObject } from "../../core/flows/version.ts";
import { type ObjectKey, type StoredObject, unchangedSince } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { may } from "../../core/permissions/may.ts";
import { scriptListingObject } from "../../core/scripts/version.ts";
import { createPathFilter, permit } from "../identity/permit.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

/** The facts about an object that a user may star. `find` returns nothing for an archived or unreadable one. */
interface StarredKind {
  action: (typeof actions)["readScript" | "readFlow" | "readApp"];
  key: (workspace: string, path: string) => ObjectKey;
  find: (stored: StoredObject) => { summary: string } | undefined;
  notFound: (path: string) => SvcError;
}

/** Reads the entry of an object in a list, unless the object is archived or unreadable. */
const toStarred = (listed: readonly { archived?: boolean; summary?: string | null | undefined }[]) => {
  const [object] = listed;
  return object && !object.archived ? { summary: object.summary ?? "" } : undefined;
};

const starredKinds: Readonly<Record<FavoriteKind, StarredKind>> = {
  script: {
    action: actions.readScript,
    key: scriptListingObject.key,
    find: (stored) => toStarred(scriptListingObject.parseReadable([stored])),
    notFound: (path) => new SvcError("script.notFound", { path }),
  },
  flow: {
    action: actions.readFlow,
    key: flowListingObject.key,
    find: (stored) => toStarred(flowListingObject.parseReadable([stored])),
    notFound: (path) => new SvcError("flow.notFound", { path }),
  },
  app: {
    action: actions.readApp,
    key: appObject.key,
    find: (stored) => toStarred(appObject.parseReadable([stored])),
    notFound: (path) => new SvcError("app.notFound", { path }),
  },
};

const keyOf = ({ actor, workspace }: WorkspaceCaller) => favoritesObject.key(workspace, personKey(actor.email));

const loadFavorites = async ({ objects }: Uses<"objects">, caller: WorkspaceCaller): Promise<Favorite[]> => {
  const found = await objects.get(keyOf(caller));
  return found ? favoritesObject.parse(found) : [];
};

/**
 * Stars an object. Repeated calls star it once. Throws `auth.forbidden`, the 404 of its kind for an object that does not exist or that the caller
 * may not read, `favorite.tooMany` and `favorite.changedMeanwhile`.
 */
export async function starObject(deps: Uses<"objects">, caller: WorkspaceCaller, favorite: Favorite): Promise<void> {
  const { actor, workspace } = caller;
  const { kind, path } = favorite;
  const { action, key, find, notFound } = starredKinds[kind];
  permit(actor, action, { workspace, path }, () => notFound(path));
  const stored = await deps.objects.get(key(workspace, path));
  if (!stored || !find(stored)) throw notFound(path);
  await changeFavorites(deps, caller, (before) => {
    if (isStarred(before, favorite)) return before;
    if (before.length >= limits.favorites) throw new SvcError("favorite.tooMany", { limit: limits.favorites });
    return [...before, favorite];
  });
}

/** Removes the star from an object. Repeated calls change nothing. Throws `favorite.changedMeanwhile`. */
export async function unstarObject(deps: Uses<"objects">, caller: WorkspaceCaller, favorite: Favorite): Promise<void> {
  await changeFavorites(deps, caller, (before) => (isStarred(before, favorite) ? removeFavorite(before, favorite) : before));
}

async function changeFavorites({ objects }: Uses<"objects">, caller: WorkspaceCaller, change: (before: Favorite[]) => Favorite[]) {
  const key = keyOf(caller);
  await retryOnConflict(
    async () => {
      const found = await objects.get(key);
      const before = found ? favoritesObject.parse(found) : [];
      const after = change(before);
      if (after === before) return { done: undefined };
      const isStored = await objects.put({ ...key, value: after, version: randomUUID() }, found ? unchangedSince(found) : "absent");
      return isStored ? { done: undefined } : undefined;
    },
    () => new SvcError("favorite.changedMeanwhile", {}),
  );
}

/** Lists the starred objects that exist and that the caller may read now, the last starred first. */
export async function listFavorites(deps: Uses<"objects">, caller: WorkspaceCaller): Promise<FavoriteJson[]> {
  const { actor, workspace } = caller;
  const readable = (await loadFavorites(deps, caller))
    .filter(({ kind, path }) => may(actor, starredKinds[kind].action.access, { workspace, path }))
    .reverse();
  const keys = readable.map(({ kind, path }) => starredKinds[kind].key(workspace, path));
  const stored = await deps.objects.batchGet(keys, { consistent: true });
  return readable.flatMap(({ kind, path }, index) => {
    const object = stored[index] && starredKinds[kind].find(stored[index]);
    return object ? [{ path, kind, summary: object.summary }] : [];
  });
}

/** The objects of a kind that a list may show to a caller, and the paths of those that the caller has starred. */
export interface ListViewer {
  readable: (path: string) => boolean;
  starred: ReadonlySet<string>;
}

/** Returns the objects of a kind that a list may show to the caller, and the caller's stars. `access`: that of the list. */
export async function loadListViewer(
  deps: Uses<"objects">,
  caller: WorkspaceCaller,
  kind: FavoriteKind,
  access: AccessRule,
): Promise<ListViewer> {
  return { readable: createPathFilter(caller, access), starred: await loadStarredPaths(deps, caller, kind) };
}

/** Returns whether a list shows an object to a caller, by the query of the list. */
export const isListed = ({ readable, starred }: ListViewer, path: string, query: { starred_only?: boolean | undefined }): boolean =>
  readable(path) && (query.starred_only !== true || starred.has(path));

/** Adds to an object whether the caller has starred it. */
export async function addStar<T extends { path: string }>(
  deps: Uses<"objects">,
  caller: WorkspaceCaller,
  kind: FavoriteKind,
  object: T,
): Promise<T & { starred: boolean }> {
  return { ...object, starred: (await loadStarredPaths(deps, caller, kind)).has(object.path) };
}

/** Returns the paths of the caller's starred objects of a kind. A job does not learn those of its user. */
async function loadStarredPaths(deps: Uses<"objects">, caller: WorkspaceCaller, kind: FavoriteKind): Promise<ReadonlySet<string>> {
  if (caller.actor.kind === "job") return new Set();
  return new Set((await loadFavorites(deps, caller)).flatMap((each) => (each.kind === kind ? [each.path] : [])));
}
