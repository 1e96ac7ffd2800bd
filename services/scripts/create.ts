import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewScript } from "../../contract/routes/stored/scripts.ts";
import { keys } from "../../core/objects/keys.ts";
import type { Actor } from "../../core/people/actor.ts";
import { isNoop, type Runnable } from "../../core/scripts/version.ts";
import { applyOnBehalfOf, resolveOnBehalfOf } from "../identity/on-behalf.ts";
import { permit, permitPath } from "../identity/permit.ts";
import { loadScriptVersion, parseScript } from "./load.ts";
import { type ParentVersion, type SaveVersionDeps, saveScriptVersion } from "./save-version.ts";

/**
 * Saves a new version: the version, the script's head and listing, its history, the event and the `dependencies` job in one
 * transaction. Of two writers with one parent, one wins. Answers the hash. Throws the `script.*` and `path.noFolder` errors.
 */
export async function createScript(
  deps: SaveVersionDeps,
  actor: Actor,
  workspace: string,
  sent: NewScript,
  { skipIfNoop = false } = {},
): Promise<string> {
  const { path } = sent;
  permitPath(actor, actions.saveScript, workspace, path);
  const asked = applyOnBehalfOf(actor, workspace, sent);
  if (Buffer.byteLength(asked.content) > limits.scriptBytes) throw new SvcError("script.tooLarge", { limitBytes: limits.scriptBytes });
  const { objects } = deps;
  const head = await objects.get(keys.scriptHead(workspace, asked.path));
  const current = parseScript(head);
  const parent = await findParent(deps, workspace, asked, current);
  if (parent && parent.runnable.path !== path) {
    const hidden = () => new SvcError("script.parentUnknown", { parentHash: parent.runnable.hash });
    permit(actor, actions.saveScript, { workspace, path: parent.runnable.path }, hidden);
  }
  if (skipIfNoop && parent && runsAt(parent.runnable, asked.path) && isNoop(parent.version.sent, asked)) return parent.runnable.hash;
  const runsAs = await resolveOnBehalfOf(deps, actor, workspace, asked);
  return saveScriptVersion(deps, { actor, workspace, asked, current, parent, onBehalfOf: runsAs });
}

const runsAt = ({ path, archived, deleted }: Runnable, wanted: string) => path === wanted && !archived && !deleted;

/** The version that the new one follows, or `undefined` for a new script. */
async function findParent(
  deps: SaveVersionDeps,
  workspace: string,
  asked: NewScript,
  current: Runnable | undefined,
): Promise<ParentVersion | undefined> {
  const hash = asked.parent_hash ?? (asked.auto_parent ? current?.hash : undefined);
  // The path of a script that was archived, or whose newest version was deleted, is free: saving there goes on with its versions.
  const free = current === undefined || current.archived || current.deleted;
  const followed = hash ?? (free ? current?.hash : undefined);
  if (followed === undefined) {
    if (!free) throw new SvcError("script.pathTaken", { path: asked.path });
    return undefined;
  }
  const runnable = parseScript(await deps.objects.get(keys.version(workspace, followed)));
  if (!runnable || (runnable.deleted && current?.hash !== followed)) throw new SvcError("script.parentUnknown", { parentHash: followed });
  if (current && current.hash !== followed) {
    if (current.path === runnable.path) throw new SvcError("script.parentHasChild", { parentHash: followed });
    if (!free) throw new SvcError("script.pathTaken", { path: asked.path });
  }
  return { runnable, version: await loadScriptVersion(deps, workspace, followed) };
}
