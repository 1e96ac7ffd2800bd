import { type ErrorCode, SvcError } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import type { Actor } from "../../core/people/actor.ts";
import { scopeNeed } from "../../core/permissions/actions.ts";
import type { Target } from "../../core/permissions/may.ts";
import { permit } from "../../services/identity/permit.ts";

/** What a route's path parts say about its object. */
export function targetOf(route: Route, params: Record<string, string>): Target {
  const { workspace, path, name, kind } = params;
  const domain = route.name.split(".")[0];
  // Types of resources have names as well, and no place.
  const named = domain === "folders" || domain === "groups" || kind === "folder" || kind === "group_";
  const at = /ByHash$/.test(route.name) ? undefined : pathIn(domain === "acls" ? kind : domain, path ?? (named ? name : undefined));
  return {
    ...(workspace === undefined ? {} : { workspace }),
    ...(at === undefined ? {} : { path: at }),
    ...(kind === undefined ? {} : { kind }),
  };
}

/** Folders and groups are named without their `f/` and `g/`. */
function pathIn(kind: string | undefined, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  if (kind === "folder" || kind === "folders") return `f/${name}`;
  return kind === "group_" || kind === "groups" ? `g/${name}` : name;
}

/**
 * Asks `may` about a route. What the caller may not see is answered as if it was not there, by the route's own 404. `exists` routes are
 * left to their handlers, which answer false.
 */
export function guard(actor: Actor, route: Route, params: Record<string, string>, target = targetOf(route, params)): void {
  const { path, ...pathless } = target;
  const asked = /\.exists/.test(route.name) ? pathless : target;
  permit(actor, route.name, asked, () => notFound(route, params));
  checkWorkspace(actor, route.name, target.workspace);
}

/** What an archived workspace still does: it answers, comes back, goes, and lets people leave. */
const inArchive = /^(workspaces\.(unarchive|archive|delete)|users\.leaveWorkspace|jobs\.(cancel|forceCancel)\w*)$/;

/** Asked after rights: nobody learns from it whether a workspace is there. */
function checkWorkspace({ workspaceState }: Actor, action: string, workspace = ""): void {
  if (workspaceState === "deleted") throw new SvcError("workspace.notFound", { workspace });
  if (workspaceState === undefined || scopeNeed(action, true).verb === "read" || inArchive.test(action)) return;
  throw new SvcError("workspace.archived", { workspace });
}

function notFound(route: Route, params: Record<string, string>): SvcError {
  const code = route.errors.find((error) => error !== "workspace.notFound" && /notFound$/i.test(error)) ?? "auth.forbidden";
  // Details of a 404 are the path part that names the object, under the same name.
  return new SvcError(code as ErrorCode, { ...params, action: route.name } as never);
}
