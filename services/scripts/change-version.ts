import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { requireVersion } from "../../core/objects/version.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import { scriptHeadObject, scriptHistoryObject, scriptListingObject, scriptVersionObject } from "../../core/scripts/version.ts";
import type { ObjectCaller } from "../identity/permit.ts";
import type { ObjectTarget } from "../objects/path-kind.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";
import { buildEventWrites } from "../outbox/event.ts";
import { toScriptEventData } from "../outbox/event-data.ts";
import type { Uses } from "../uses.ts";
import { findPermittedScript, parseScript, requireNewestScript } from "./load.ts";

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
    const refused = await objects.transactWrite([
      write.put({ ...entry, value: { ...rest, ...(message === "" ? {} : { message }) } }, "present"),
      ...(listing && listed?.hash === hash
        ? [write.put({ ...listing, value: { ...listed, deployment_message: message }, version: randomUUID() }, unchangedSince(listing))]
        : []),
    ]);
    return refused === undefined ? { done: undefined } : undefined;
  };
  await retryOnConflict(changed, () => new SvcError("script.changedMeanwhile", { path }));
}

/**
 * Sets whether the workspace's error handler ignores the failures of the newest version at a path. Throws `script.notFound` and
 * `script.changedMeanwhile`.
 */
export async function muteScriptErrorHandler(
  deps: Uses<"objects" | "nowMs">,
  { actor, workspace, path, expected }: ObjectTarget,
  muted: boolean,
): Promise<void> {
  const { objects } = deps;
  const found = await objects.get(scriptHeadObject.key(workspace, path));
  const { build: _, ...value } = requireNewestScript(found, path);
  requireVersion(found ?? {}, { path, expected });
  const [version, listing] = await Promise.all([
    objects.get(scriptVersionObject.key(workspace, value.hash)).then(parseScript),
    objects.get(scriptListingObject.key(workspace, path)),
  ]);
  if (!version) throw new SvcError("script.changedMeanwhile", { path });
  const { build: __, ...stored } = version;
  const isNewest = { version: value.hash };
  const refused = await objects.transactWrite([
    write.update({ ...scriptHeadObject.key(workspace, path), value: { ...value, errorHandlerMuted: muted } }, isNewest),
    write.update({ ...scriptVersionObject.key(workspace, value.hash), value: { ...stored, errorHandlerMuted: muted } }, isNewest),
    ...(listing
      ? [
          write.put(
            { ...listing, value: { ...(listing.value as object), ws_error_handler_muted: muted }, version: randomUUID() },
            unchangedSince(listing),
          ),
        ]
      : []),
    ...(await buildEventWrites(deps, {
      type: "UpdateScript",
      workspace,
      by: actor.username,
      atMs: deps.nowMs(),
      data: async () => toScriptEventData(path, listing),
    })),
  ]);
  if (refused !== undefined) throw new SvcError("script.changedMeanwhile", { path });
}
