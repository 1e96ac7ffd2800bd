import type { AccessDomain } from "../../contract/access/access-rule.ts";
import { SvcError } from "../../contract/errors.ts";
import { parseReadableSimple, parseSimple, type StoredSimple, simpleObject, toSimpleJson } from "../../core/objects/simple-object.ts";
import { getVersion, type Versioned } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { accessObjectKey } from "../../core/permissions/access.ts";
import type { Uses } from "../uses.ts";
import { loadAccess } from "../workspaces/access.ts";
import { loadPage } from "./load-page.ts";
import { buildPathKind, type ObjectTarget, type PathKind } from "./path-kind.ts";
import { removeObject } from "./remove-object.ts";
import { changeObject, createObject } from "./save-object.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The kind for the writer of objects at paths. */
const toPathKind = (kind: string): PathKind<StoredSimple> =>
  buildPathKind(kind, `${kind}s` as AccessDomain, {
    key: (workspace, path) => simpleObject.key(workspace, kind, path),
    parse: (stored) => parseSimple(kind, stored),
  });

/** Creates an object of a simple kind. Throws `object.exists`, and as `createObject` does. */
export async function createSimple(
  deps: Uses<"objects" | "nowMs">,
  kind: string,
  target: ObjectTarget,
  { path, ...fields }: Fields,
): Promise<void> {
  const { username } = target.actor;
  await createObject(deps, toPathKind(kind), target, async () => async () => ({
    value: { path: target.path, fields, createdBy: username, editedBy: username, editedAtMs: deps.nowMs() },
    sent: undefined,
  }));
}

/** Changes the given fields of an object; another `path` renames it. Throws `object.*`, and as `changeObject` does. */
export async function updateSimple(
  deps: Uses<"objects" | "nowMs">,
  kind: string,
  target: ObjectTarget,
  { path, ...fields }: Fields & { path?: string | undefined },
): Promise<void> {
  const to = path ?? target.path;
  await changeObject(deps, toPathKind(kind), { ...target, to }, async () => async (before) => ({
    value: {
      ...before,
      path: to,
      fields: { ...before.fields, ...fields },
      editedBy: target.actor.username,
      editedAtMs: deps.nowMs(),
    },
    sent: undefined,
  }));
}

/** Deletes an object with its extra permissions. Throws `object.notFound`, `object.versionChanged`. */
export async function deleteSimple(deps: Uses<"objects" | "nowMs">, kind: string, target: ObjectTarget): Promise<void> {
  await removeObject(deps, toPathKind(kind), target, async () => ({ sent: undefined }));
}

/** Returns an object in the form of replies. Throws `object.notFound`. */
export async function getSimple(
  { objects }: Uses<"objects">,
  kind: string,
  workspace: string,
  path: string,
): Promise<Versioned<Record<string, unknown>>> {
  const stored = await objects.get(simpleObject.key(workspace, kind, path));
  if (!stored) throw new SvcError("object.notFound", { kind, path });
  const { access } = await loadAccess(objects, workspace);
  const json = toSimpleJson(workspace, parseSimple(kind, stored), access.objects[accessObjectKey(kind, path)] ?? {});
  return { json, version: getVersion(stored) };
}

/** Returns whether there is an object at a path. */
export const simpleExists = async ({ objects }: Uses<"objects">, kind: string, workspace: string, path: string) =>
  (await objects.get(simpleObject.key(workspace, kind, path))) !== undefined;

interface ListQuery {
  path_start?: string | undefined;
  page?: number | undefined;
  per_page?: number | undefined;
}

/** Lists the objects that the caller may see, by path. An unreadable one is left out. */
export async function listSimple(
  deps: Uses<"objects">,
  kind: string,
  { workspace, query }: { workspace: string; query: ListQuery },
  isVisible: (path: string) => boolean,
) {
  const { path_start: start = "" } = query;
  const list = {
    kind: { ...simpleObject, parseReadable: (stored: readonly StoredObject[]) => parseReadableSimple(kind, stored) },
    parts: [workspace, kind] as [string, string],
    isVisible,
    matches: ({ path }: StoredSimple) => path.startsWith(start),
  };
  const [shown, { access }] = await Promise.all([loadPage(deps, list, query), loadAccess(deps.objects, workspace)]);
  return shown.map((object) => toSimpleJson(workspace, object, access.objects[accessObjectKey(kind, object.path)] ?? {}));
}
