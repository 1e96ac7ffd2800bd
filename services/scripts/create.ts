import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewScript } from "../../contract/routes/stored/script.ts";
import type { Bundle } from "../../core/builds/bundle.ts";
import { type ExpectedVersions, requireVersion } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { isNoop, type Runnable, scriptHeadObject, scriptVersionObject } from "../../core/scripts/version.ts";
import { applyOnBehalfOf, resolveOnBehalfOf } from "../identity/on-behalf.ts";
import { permit, permitConcurrencyKey } from "../identity/permit.ts";
import { type RunAs, requireActingFields } from "../identity/run-as.ts";
import type { ObjectTarget } from "../objects/path-kind.ts";
import { replaceObject } from "../objects/save-object.ts";
import type { Uses } from "../uses.ts";
import { loadScriptVersion, parseScript, requireNewestScript, scriptKind } from "./load.ts";
import { buildScriptVersion, type ParentVersion, sendBuild } from "./save-version.ts";

/**
 * Saves a new version of a script and returns its hash. The version, the script's head and listing, its history, the event and the
 * `dependencies` job are written in one transaction. Of two writers with the same parent one succeeds. Throws the `script.*` and
 * `path.noFolder` errors.
 */
export async function createScript(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  { actor, workspace, expected }: WorkspaceCaller & { expected?: ExpectedVersions | undefined },
  script: NewScript,
  { skipIfNoop = false, bundle }: { skipIfNoop?: boolean; bundle?: Bundle } = {},
): Promise<string> {
  const { path } = script;
  /** The hash of the version that is equal to the request, which is then not saved again. */
  let equal = "";
  const prepare = async () => {
    permitConcurrencyKey(actor, workspace, path, script.concurrency_key);
    const request = applyOnBehalfOf(actor, workspace, script);
    if (Buffer.byteLength(request.content) > limits.scriptBytes) throw new SvcError("script.tooLarge", { limitBytes: limits.scriptBytes });
    return async (head: ScriptHead | undefined, _: unknown, stored: StoredObject | undefined) => {
      const parent = await findParent(deps, workspace, request, head);
      if (parent && parent.runnable.path !== path) {
        const hidden = () => new SvcError("script.parentUnknown", { parentHash: parent.runnable.hash });
        permit(actor, actions.saveScript, { workspace, path: parent.runnable.path }, hidden);
      }
      await requireExpected(deps, { workspace, path, expected }, stored, parent);
      if (skipIfNoop && parent && isUnchanged(parent, request)) {
        equal = parent.runnable.hash;
        return undefined;
      }
      const runsAs = await resolveOnBehalfOf(deps, actor, workspace, request);
      const inherited = parent && !bundle ? inheritBundle(parent, request, runsAs) : undefined;
      return buildScriptVersion(deps, { actor, workspace, newScript: request, parent, onBehalfOf: runsAs, bundle: bundle ?? inherited });
    };
  };
  const saved = await replaceObject(deps, savedScriptKind, { actor, workspace, path }, prepare);
  await sendBuild(deps, saved?.job);
  return saved?.hash ?? equal;
}

type ScriptHead = Omit<Runnable, "build">;

/** A save is not repeated after a conflict, because its build is prepared already. */
const savedScriptKind = { ...scriptKind, save: actions.saveScript, maxTries: 1 };

/** The script that a new version replaces is the one at its path, or the one that it renames. Throws `object.versionChanged`. */
async function requireExpected(
  { objects }: Uses<"objects">,
  { workspace, path, expected }: { workspace: string; path: string; expected: ExpectedVersions | undefined },
  head: StoredObject | undefined,
  parent: ParentVersion | undefined,
): Promise<void> {
  if (!expected) return;
  const from = parent?.runnable.path ?? path;
  const replaced = from === path ? head : await objects.get(scriptHeadObject.key(workspace, from));
  requireVersion(replaced ?? {}, { path: from, expected });
}

/**
 * A version that changes neither the source nor the digest of its parent's bundle retains that bundle, which need not be uploaded again. The
 * author of the parent chose the digest, so a version that runs as another user must be sent with its bundle unless the digest matches the
 * bundle. Throws `identity.fieldsMissing`.
 */
function inheritBundle(
  { runnable, version: { sent, bundle } }: ParentVersion,
  { content, codebase, language }: NewScript,
  runsAs: Runnable["onBehalfOf"],
): Bundle | undefined {
  if (!bundle || !codebase || codebase !== sent.codebase || content !== sent.content || language !== sent.language) return undefined;
  if (!runsAs || codebase.startsWith(bundle.sha256)) return bundle;
  requireActingFields({ ...NO_USER, ...runnable.onBehalfOf }, { ...NO_USER, ...runsAs }, { file: bundle.sha256 });
  return bundle;
}
const NO_USER: RunAs = { email: "", permissionedAs: "", superAdmin: false };

/** Saves a new version of the script at a path and returns its hash. Throws `script.notFound`, and as `createScript` does. */
export async function updateScript(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  target: ObjectTarget,
  script: NewScript,
): Promise<string> {
  const { workspace, path, expected } = target;
  const found = await deps.objects.get(scriptHeadObject.key(workspace, path));
  const { hash } = requireNewestScript(found, path);
  requireVersion(found ?? {}, { path, expected });
  return createScript(deps, target, { ...script, parent_hash: script.parent_hash ?? hash });
}

function isUnchanged({ runnable, version }: ParentVersion, request: NewScript): boolean {
  const { path, archived, deleted } = runnable;
  return path === request.path && !archived && !deleted && isNoop(currentFields({ runnable, version }), request);
}

/** Returns the version that the new one follows; `undefined` for a new script. */
async function findParent(
  deps: Uses<"objects" | "storage">,
  workspace: string,
  request: NewScript,
  current: ScriptHead | undefined,
): Promise<ParentVersion | undefined> {
  const hash = request.parent_hash ?? (request.auto_parent ? current?.hash : undefined);
  // The path of an archived script, or of one whose newest version was deleted, is free: a new version there continues the script.
  const free = current === undefined || current.archived || current.deleted;
  const followed = hash ?? (free ? current?.hash : undefined);
  if (followed === undefined) {
    if (!free) throw new SvcError("script.pathTaken", { path: request.path });
    return undefined;
  }
  const runnable = parseScript(await deps.objects.get(scriptVersionObject.key(workspace, followed)));
  if (!runnable || (runnable.deleted && current?.hash !== followed)) throw new SvcError("script.parentUnknown", { parentHash: followed });
  if (current && current.hash !== followed) {
    if (current.path === runnable.path) throw new SvcError("script.parentHasChild", { parentHash: followed });
    if (!free) throw new SvcError("script.pathTaken", { path: request.path });
  }
  return { runnable, version: await loadScriptVersion(deps, workspace, followed) };
}

/** The fields of a version as sent, with the one that can change afterwards. */
function currentFields({ runnable: { errorHandlerMuted }, version }: ParentVersion): NewScript {
  return errorHandlerMuted === undefined ? version.sent : { ...version.sent, ws_error_handler_muted: errorHandlerMuted };
}
