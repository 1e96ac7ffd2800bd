import { call } from "../../data/api.ts";
import { runnableText } from "../../messages/runnable.ts";
import type { Kind } from "./use-runnable.ts";

interface Target {
  kind: Kind;
  path: string;
  hash: string;
}

export async function archive(workspace: string, { kind, path }: Target): Promise<void> {
  await (kind === "flow"
    ? call.flows.archive({ workspace, path, body: { archived: true } })
    : call.scripts.archiveByPath({ workspace, path }));
}

/** Makes an archived script or flow usable again. A script gets a new version with the content of its last one. */
export async function restore(workspace: string, { kind, path, hash }: Target): Promise<void> {
  await (kind === "flow"
    ? call.flows.archive({ workspace, path, body: { archived: false } })
    : deployScriptAgain(workspace, { path, hash, newest: hash, message: runnableText.restoredMessage }));
}

interface RestoredScript {
  path: string;
  /** The version with the content. */
  hash: string;
  /** The version that the new one follows. The service refuses if there is a newer one. */
  newest: string;
  message: string;
}

/** Saves a new version of a script with the content of another one. */
export async function deployScriptAgain(workspace: string, { path, hash, newest, message }: RestoredScript): Promise<void> {
  const script = await call.scripts.getByHash({ workspace, hash });
  const body = { ...script, path, parent_hash: newest, deployment_message: message };
  // Runs keep their identity, or the service refuses.
  await call.scripts.create({ workspace, body: script.on_behalf_of ? { ...body, preserve_on_behalf_of: true } : body });
}
