import { SvcError } from "../../contract/errors.ts";
import { write } from "../../core/objects/write.ts";
import { scriptHistoryObject, scriptListingObject, scriptVersionObject } from "../../core/scripts/version.ts";
import type { ObjectCaller } from "../identity/permit.ts";
import { buildListingParts } from "../objects/listing.ts";
import type { ObjectTarget } from "../objects/path-kind.ts";
import { changeObject } from "../objects/save-object.ts";
import { commitParts, retryOnConflict } from "../outbox/commit-parts.ts";
import { toScriptEventData } from "../outbox/event-data.ts";
import type { Uses } from "../uses.ts";
import { findPermittedScript, parseScript, scriptKind } from "./load.ts";

/**
 * Sets the deployment message of a version in the history of its path, and in the list if it is the newest. An empty message removes it. Throws
 * `script.versionNotFound`, also where the version belongs to another path, and `script.changedMeanwhile`.
 */
export async function setScriptMessage(
  { objects }: Uses<"objects">,
  caller: ObjectCaller,
  { hash, path, message }: { hash: string; path: string; message: string },
): Promise<void> {
  const { workspace } = caller;
  const version = await findPermittedScript({ objects }, caller, hash);
  const history = version.path === path ? await objects.list(scriptHistoryObject.partitionKey(workspace, path)) : [];
  const entry = history.find((each) => scriptHistoryObject.parse(each).hash === hash);
  if (!entry) throw new SvcError("script.versionNotFound", { hash });
  const { message: _, ...rest } = entry.value as { message?: string };
  const changed = async () => {
    const listing = await objects.get(scriptListingObject.key(workspace, path));
    const listed = listing?.value as { hash?: string } | undefined;
    const isDone = await commitParts(objects, [
      { write: write.put({ ...entry, value: { ...rest, ...(message === "" ? {} : { message }) } }, "present"), refused: undefined },
      ...(listed?.hash === hash ? buildListingParts(listing, { deployment_message: message }) : []),
    ]);
    return isDone ? { done: undefined } : undefined;
  };
  await retryOnConflict(changed, () => new SvcError("script.changedMeanwhile", { path }));
}

/**
 * Sets whether the workspace's error handler ignores the failures of the newest version at a path. Throws `script.notFound` and
 * `script.changedMeanwhile`.
 */
export async function muteScriptErrorHandler(deps: Uses<"objects" | "nowMs">, target: ObjectTarget, muted: boolean): Promise<void> {
  const { workspace, path } = target;
  await changeObject(deps, scriptKind, target, async () => async (head) => {
    const [version, listing] = await Promise.all([
      deps.objects.get(scriptVersionObject.key(workspace, head.hash)).then(parseScript),
      deps.objects.get(scriptListingObject.key(workspace, path)),
    ]);
    if (!version) throw scriptKind.changed(path);
    const { build: _, ...stored } = version;
    const item = { ...scriptVersionObject.key(workspace, head.hash), value: { ...stored, errorHandlerMuted: muted } };
    return {
      value: { ...head, errorHandlerMuted: muted },
      version: "kept",
      parts: [
        { write: write.update(item, { version: head.hash }), refused: undefined },
        ...buildListingParts(listing, { ws_error_handler_muted: muted }),
      ],
      event: { type: "UpdateScript", data: async () => toScriptEventData(path, listing) },
      sent: undefined,
    };
  });
}
