import { actions } from "../../contract/access/actions.ts";
import type { StoredFlow } from "../../core/flows/version.ts";
import { flowBodyObject, flowListingObject } from "../../core/flows/version.ts";
import { chooseLock, type StoredVersion, scriptBodyObject, scriptListingObject, scriptLockObject } from "../../core/scripts/version.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import { removeServerFields } from "../../core/sync/server-fields.ts";
import { type ArchiveContext, listReadable, toExtraPerms, toItemVersion, toOnBehalf } from "./archive-context.ts";
import { loadBodies } from "./load-bodies.ts";

/** Removes the fields of a request that are not part of the script or flow. */
const withoutSaveFields = <T extends object>(request: T) => {
  const {
    parent_hash,
    auto_parent,
    deployment_message,
    preserve_on_behalf_of,
    skip_draft_deletion,
    on_behalf_of_email,
    on_behalf_of,
    ...fields
  } = request as Record<string, unknown>;
  return removeServerFields(fields);
};

/** Loads the newest versions of the scripts that are not archived. */
export async function loadScripts(context: ArchiveContext): Promise<SyncItem[]> {
  const { deps, reader } = context;
  const { workspace } = reader;
  const scripts = await listReadable(context, actions.readScript.access, scriptListingObject, workspace);
  const listed = scripts.filter(({ archived }) => !archived);
  const [bodies, locks] = await Promise.all([
    loadBodies(
      deps,
      listed.map(({ hash }) => scriptBodyObject.key(workspace, hash)),
    ),
    deps.objects.batchGet(
      listed.map(({ hash }) => scriptLockObject.key(workspace, hash)),
      { consistent: true },
    ),
  ]);
  return listed.flatMap(({ path, hash, ws_error_handler_muted }, index): SyncItem[] => {
    const version = bodies[index] as StoredVersion | undefined;
    if (!version) return [];
    const { sent } = version;
    const { content, language, lock: _, ...fields } = withoutSaveFields(sent);
    const { lock: built } = (locks[index]?.value ?? {}) as { lock?: string };
    const value = {
      ...fields,
      lock: chooseLock(sent.lock, built) ?? "",
      ...(ws_error_handler_muted ? { ws_error_handler_muted } : {}),
      ...toOnBehalf(context, sent),
      ...toExtraPerms(context, "script", path),
    };
    return [{ kind: "script", path, language: sent.language, content: sent.content, value, ...toItemVersion(context, hash) }];
  });
}

/** Loads the newest versions of the flows that are not archived. */
export async function loadFlows(context: ArchiveContext): Promise<SyncItem[]> {
  const { deps, reader } = context;
  const { workspace } = reader;
  const flows = await listReadable(context, actions.readFlow.access, flowListingObject, workspace);
  const listed = flows.filter(({ archived }) => !archived);
  const bodies = await loadBodies(
    deps,
    listed.map(({ version }) => flowBodyObject.key(workspace, version)),
  );
  return listed.flatMap(({ path, version, ws_error_handler_muted }, index): SyncItem[] => {
    const flow = bodies[index] as StoredFlow | undefined;
    if (!flow) return [];
    const value = {
      ...withoutSaveFields(flow.sent),
      ...(ws_error_handler_muted ? { ws_error_handler_muted } : {}),
      ...toOnBehalf(context, flow.sent),
      ...toExtraPerms(context, "flow", path),
    };
    return [{ kind: "flow", path, value, ...toItemVersion(context, String(version)) }];
  });
}
