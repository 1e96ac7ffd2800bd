import { call } from "../../data/api.ts";
import { runnableText } from "../../messages/runnable.ts";
import type { Runnable } from "./use-runnable.ts";

/**
 * Moves a script or a flow to another path, as a new version with the same content. Its extra permissions and its history follow. The service refuses
 * the move if another user has saved a version since the page was loaded.
 */
export async function move(workspace: string, { kind, path, hash, isStarred, script, flow }: Runnable, to: string): Promise<void> {
  const message = { path: to, deployment_message: runnableText.movedMessage(path) };
  if (flow) {
    const headers = { "if-match": `"${flow.version_id}"` };
    await call.flows.update({ workspace, path, headers, body: { ...flow, ...message, ...keepIdentity(flow) } });
  }
  if (script) await call.scripts.create({ workspace, body: { ...script, ...message, ...keepIdentity(script), parent_hash: hash } });
  // The star of the user follows. Those of other users name the old path.
  if (!isStarred) return;
  await call.favorites.star({ workspace, body: { path: to, favorite_kind: kind } });
  await call.favorites.unstar({ workspace, body: { path, favorite_kind: kind } });
}

/** Runs keep their identity, or the service refuses. */
const keepIdentity = ({ on_behalf_of }: { on_behalf_of?: unknown }) => (on_behalf_of ? { preserve_on_behalf_of: true } : {});
