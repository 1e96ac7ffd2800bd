import { SvcError } from "../../contract/errors.ts";
import {
  appCustomPathObject,
  appHistoryObject,
  appObject,
  appPathObject,
  appVersionObject,
  deletedAppObject,
} from "../../core/apps/app.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { commitParts, retryOnConflict } from "../outbox/commit-parts.ts";
import { buildEventParts } from "../outbox/event.ts";
import { buildAclPart } from "../workspaces/acls.ts";
import { requireApp } from "./read.ts";
import { appObjectKey, type SaveAppDeps } from "./save.ts";

/**
 * Deletes an app with its versions and extra permissions. The app is gone after one transaction, which leaves a note of what remains: if the rest
 * fails, a repeated call completes it. Deleting an app that does not exist is no error. Throws `app.changedMeanwhile`.
 */
export async function deleteApp(deps: SaveAppDeps, { actor, workspace, path }: WorkspaceCaller & { path: string }): Promise<void> {
  const { objects } = deps;
  await retryOnConflict(
    async () => {
      const found = await objects.get(appObject.key(workspace, path));
      if (!found) return { done: undefined };
      const { id, version, customPath } = requireApp(found, path);
      const stored = await commitParts(objects, [
        { write: write.remove(appObject.key(workspace, path), unchangedSince(found)), refused: undefined },
        { write: write.remove(appPathObject.key(workspace, id)), refused: undefined },
        ...(customPath === undefined ? [] : [{ write: write.remove(appCustomPathObject.key(workspace, customPath)), refused: undefined }]),
        { write: write.put({ ...deletedAppObject.key(workspace, path, id), value: { app: id } }), refused: undefined },
        await buildAclPart(deps, { workspace, kind: "app", path }),
        ...(await buildEventParts(deps, {
          type: "DeleteApp",
          workspace,
          by: actor.username,
          atMs: deps.nowMs(),
          data: { path, version },
        })),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => new SvcError("app.changedMeanwhile", { path }),
  );
  const { pk, sk } = deletedAppObject.key(workspace, path, "");
  for (const note of await objects.list(pk, { beginsWith: sk })) {
    await deleteVersions(deps, workspace, deletedAppObject.parse(note).app);
    await objects.deleteItem({ pk, sk: note.sk });
  }
}

async function deleteVersions({ objects, storage }: SaveAppDeps, workspace: string, app: number): Promise<void> {
  for (const entry of await objects.list(appHistoryObject.partitionKey(workspace, app))) {
    const { version } = appHistoryObject.parse(entry);
    await storage.deleteObject(appObjectKey(workspace, version));
    await objects.deleteItem(appVersionObject.key(workspace, version));
    // The entry is removed last, so that a repeated call finds what remains of the version.
    await objects.deleteItem({ pk: entry.pk, sk: entry.sk });
  }
}
