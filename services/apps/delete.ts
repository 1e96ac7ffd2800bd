import { appCustomPathObject, appHistoryObject, appPathObject, appVersionObject, deletedAppObject } from "../../core/apps/app.ts";
import { write } from "../../core/objects/write.ts";
import type { ObjectTarget } from "../objects/path-kind.ts";
import { removeObject, unlessNotFound } from "../objects/remove-object.ts";
import type { Uses } from "../uses.ts";
import { appKind, appObjectKey } from "./save.ts";

/**
 * Deletes an app with its versions and extra permissions. The app is gone after one transaction, which leaves a note of what remains: if the rest
 * fails, a repeated call completes it. Deleting an app that does not exist is no error. Throws `app.changedMeanwhile` and `object.versionChanged`.
 */
export async function deleteApp(deps: Uses<"objects" | "storage" | "nowMs">, target: ObjectTarget): Promise<void> {
  const { objects } = deps;
  const { workspace, path } = target;
  await unlessNotFound(
    removeObject(deps, appKind, target, async ({ id, version, customPath }) => ({
      parts: [
        { write: write.remove(appPathObject.key(workspace, id)), refused: undefined },
        ...(customPath === undefined ? [] : [{ write: write.remove(appCustomPathObject.key(workspace, customPath)), refused: undefined }]),
        { write: write.put({ ...deletedAppObject.key(workspace, path, id), value: { app: id } }), refused: undefined },
      ],
      event: { type: "DeleteApp", data: { path, version } },
      sent: undefined,
    })),
    "app.notFound",
  );
  const { pk, sk } = deletedAppObject.key(workspace, path, "");
  for (const note of await objects.list(pk, { beginsWith: sk })) {
    await deleteVersions(deps, workspace, deletedAppObject.parse(note).app);
    await objects.deleteItem({ pk, sk: note.sk });
  }
}

async function deleteVersions({ objects, storage }: Uses<"objects" | "storage">, workspace: string, app: number): Promise<void> {
  for (const entry of await objects.list(appHistoryObject.partitionKey(workspace, app))) {
    const { version } = appHistoryObject.parse(entry);
    await storage.deleteObject(appObjectKey(workspace, version));
    await objects.deleteItem(appVersionObject.key(workspace, version));
    // The entry is removed last, so that a repeated call finds what remains of the version.
    await objects.deleteItem({ pk: entry.pk, sk: entry.sk });
  }
}
