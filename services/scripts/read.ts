import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import type { HistoryItemJson, ListedScriptJson, ScriptJson } from "../../contract/routes/stored/script.ts";
import type { ScriptListQuery } from "../../contract/routes/stored/scripts.ts";
import { paginate } from "../../core/objects/page.ts";
import { type Runnable, scriptHeadObject, scriptHistoryObject, scriptListingObject, toScriptJson } from "../../core/scripts/version.ts";
import { isListed, type ListViewer } from "../console/favorites.ts";
import type { ObjectCaller } from "../identity/permit.ts";
import { loadAtPaths } from "../objects/load-page.ts";
import type { Uses } from "../uses.ts";
import { getAcl } from "../workspaces/acls.ts";
import { findPermittedScript, loadBuildResult, loadScriptVersion, parseScript, requireNewestScript } from "./load.ts";
import { settleBuild } from "./settle-build.ts";

/** Returns a version as the Script of api.md §3.1, without its extra permissions. */
export async function loadScriptJson(deps: Uses<"objects" | "storage">, runnable: Runnable): Promise<ScriptJson> {
  const { workspace, hash } = runnable;
  const [version, built] = await Promise.all([loadScriptVersion(deps, workspace, hash), loadBuildResult(deps, workspace, hash)]);
  return toScriptJson(version, runnable, built);
}

async function loadNewestJson(deps: Uses<"objects" | "storage">, workspace: string, path: string): Promise<ScriptJson> {
  return loadScriptJson(deps, requireNewestScript(await deps.objects.get(scriptHeadObject.key(workspace, path)), path));
}

async function withExtraPermissions(deps: Uses<"objects">, script: ScriptJson): Promise<ScriptJson> {
  return { ...script, extra_perms: await getAcl(deps, { workspace: script.workspace_id, kind: "script", path: script.path }) };
}

/** Returns the newest version at a path, with its extra permissions. Throws `script.notFound`. */
export async function getScript(deps: Uses<"objects" | "storage">, workspace: string, path: string): Promise<ScriptJson> {
  return withExtraPermissions(deps, await loadNewestJson(deps, workspace, path));
}

/** Returns a version, with the extra permissions of its path. Throws `script.versionNotFound`. */
export async function getScriptVersion(deps: Uses<"objects" | "storage">, caller: ObjectCaller, hash: string): Promise<ScriptJson> {
  return withExtraPermissions(deps, await loadScriptJson(deps, await findPermittedScript(deps, caller, hash)));
}

/** Returns whether a script that is not archived exists at a path. */
export async function scriptExists({ objects }: Uses<"objects">, workspace: string, path: string): Promise<boolean> {
  const runnable = parseScript(await objects.get(scriptHeadObject.key(workspace, path)));
  return runnable !== undefined && !runnable.archived;
}

/** Lists the paths of the scripts that are not archived and that the caller may read. */
export async function listScriptPaths(deps: Uses<"objects">, workspace: string, isVisible: (path: string) => boolean): Promise<string[]> {
  return (await loadAtPaths(deps, scriptListingObject, workspace))
    .filter(({ archived, path }) => !archived && isVisible(path))
    .map(({ path }) => path);
}

const withoutExtension = (path: string) => path.replace(/\.(bun|deno|fetch|node)?\.?[a-z]+$/, "");

/** Returns the content of the newest version at a path. Clients may append a file extension to the path. Throws `script.notFound`. */
export async function getRawScript(deps: Uses<"objects" | "storage">, workspace: string, path: string): Promise<string> {
  const exact = await scriptExists(deps, workspace, path);
  return (await loadNewestJson(deps, workspace, exact ? path : withoutExtension(path))).content;
}

/** Returns the content of a version. Clients may append a file extension to the hash. Throws `script.versionNotFound`. */
export async function getRawScriptVersion(deps: Uses<"objects" | "storage">, caller: ObjectCaller, name: string): Promise<string> {
  const hash = name.split(".")[0] ?? name;
  if (!/^[0-9a-f]{16}$/.test(hash)) throw new SvcError("script.versionNotFound", { hash });
  return (await loadScriptJson(deps, await findPermittedScript(deps, caller, hash))).content;
}

const isInList = (list: string | undefined, value: string) => list === undefined || list === "" || list.split(",").includes(value);

/**
 * Lists the scripts that match a query and that the caller may read, without content, newest first by default. Equal times are sorted by
 * path, so that pages are stable.
 */
export async function listScripts(
  deps: Uses<"objects">,
  workspace: string,
  query: ScriptListQuery,
  viewer: ListViewer,
): Promise<ListedScriptJson[]> {
  const stored = await loadAtPaths(deps, scriptListingObject, workspace, query);
  const order = query.order_desc === false ? 1 : -1;
  const found = stored
    .filter(
      (script) =>
        isListed(viewer, script.path, query) &&
        (query.show_archived ?? false) === script.archived &&
        (query.path_start === undefined || script.path.startsWith(query.path_start)) &&
        (query.path_exact === undefined || script.path === query.path_exact) &&
        (query.created_by === undefined || script.createdBy === query.created_by) &&
        (query.parent_hash === undefined || script.parentHashes.includes(query.parent_hash)) &&
        (query.first_parent_hash === undefined || script.parentHashes[0] === query.first_parent_hash) &&
        (query.last_parent_hash === undefined || script.parentHashes.at(-1) === query.last_parent_hash) &&
        isInList(query.kinds, script.kind ?? "script") &&
        isInList(query.languages, script.language) &&
        (query.is_template === undefined || (script.is_template ?? false) === query.is_template) &&
        (query.label === undefined || (script.labels ?? []).includes(query.label)),
    )
    .sort((a, b) => order * (a.createdAtMs - b.createdAtMs) || a.path.localeCompare(b.path));
  return paginate(found, query).map((script) => {
    const { hash, parentHashes, createdBy, createdAtMs, archived, ...fields } = script;
    const version = { sent: { ...fields, content: "" }, hash, parentHashes, createdBy, createdAtMs };
    const { content, ...listed } = toScriptJson(version, { workspace, archived, deleted: false } as Runnable, {});
    return {
      ...listed,
      starred: viewer.starred.has(script.path),
      ...(query.without_description ? { description: "" } : {}),
      ...(query.with_deployment_msg && fields.deployment_message ? { deployment_msg: fields.deployment_message } : {}),
    };
  });
}

/** Returns the paths and contents of all scripts that the caller may read and that are not archived, for a search in them. */
export async function searchScripts(
  deps: Uses<"objects" | "storage">,
  workspace: string,
  isVisible: (path: string) => boolean,
): Promise<{ path: string; content: string }[]> {
  const found = (await loadAtPaths(deps, scriptListingObject, workspace)).filter(({ path, archived }) => !archived && isVisible(path));
  return Promise.all(
    found.map(async ({ path, hash }) => ({ path, content: (await loadScriptVersion(deps, workspace, hash)).sent.content })),
  );
}

/** Lists the versions saved at a path, newest first. Throws `script.notFound` if there never was one. */
export async function listScriptHistory({ objects }: Uses<"objects">, workspace: string, path: string): Promise<HistoryItemJson[]> {
  const stored = await objects.list(scriptHistoryObject.partitionKey(workspace, path), { newestFirst: true });
  if (stored.length === 0) throw new SvcError("script.notFound", { path });
  return scriptHistoryObject.parseReadable(stored).map(({ hash, createdAtMs, createdBy, message }) => ({
    script_hash: hash,
    created_at: new Date(createdAtMs).toISOString(),
    created_by: createdBy,
    ...defined({ deployment_msg: message }),
  }));
}

/** Returns the state of a version's build, with its lock or error log. Throws `script.versionNotFound`. */
export async function getScriptDeploymentStatus(
  deps: Uses<"jobs" | "objects" | "queue">,
  caller: ObjectCaller,
  hash: string,
): Promise<{ lock?: string; lock_error_logs?: string; job_id?: string }> {
  const build = await settleBuild(deps, await findPermittedScript(deps, caller, hash));
  if (build.state === "none") return { lock: "" };
  const { lock, lockErrorLogs } = await loadBuildResult(deps, caller.workspace, hash);
  return {
    ...defined({ lock, lock_error_logs: lockErrorLogs, job_id: build.job }),
  };
}
