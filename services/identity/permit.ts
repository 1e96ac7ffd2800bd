import type { AccessRule, Action } from "../../contract/access/access-rule.ts";
import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { findKeySpace, spaceOf } from "../../core/jobs/concurrency.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import { classifyRefusal, describeMissingRight, may, type Target } from "../../core/permissions/may.ts";

/** The caller of an action on an object whose path is known only once the object is read. */
export interface ObjectCaller extends WorkspaceCaller {
  action: Action;
}

/**
 * Returns if the actor has the access that an action requires. Otherwise throws `auth.forbidden`, or, if the actor may not know that the
 * object exists, the error for an absent object: `hidden`, or `workspace.notFound`.
 */
export function permit(actor: Actor, { name, access }: Action, target: Target, hidden?: () => SvcError): void {
  if (may(actor, access, target)) return;
  const how = classifyRefusal(actor, access, target);
  if (how === "hiddenWorkspace") throw new SvcError("workspace.notFound", { workspace: target.workspace ?? "" });
  if (how === "hidden" && hidden) throw hidden();
  throw toForbidden(actor, { name, access }, target);
}

/** Returns the error for a refused call, which names the missing role or right, or the token if its limits refuse the call. */
export function toForbidden(actor: Actor, { name: action, access }: Action, target: Target): SvcError<"auth.forbidden"> {
  const needs = describeMissingRight(actor, access, target);
  return new SvcError("auth.forbidden", { action, ...defined({ needs }) });
}

/**
 * Checks whether the actor may save an object at a path. Throws `auth.forbidden`, and `path.noFolder` also for a folder that the actor may
 * not see.
 */
export function permitPath(actor: Actor, action: Action, workspace: string, path: string): void {
  const [space, folder = ""] = path.split("/");
  permit(actor, action, { workspace, path }, () =>
    space === "f"
      ? new SvcError("path.noFolder", { path, folder })
      : toForbidden(actor, { ...action, name: `saving at ${path}` }, { workspace, path }),
  );
}

/** Checks whether the actor may run the script or flow at a path. Throws `auth.forbidden`, and `script.notFound` or `flow.notFound` for a hidden one. */
export function permitRun(actor: Actor, workspace: string, { path, isFlow }: { path: string; isFlow: boolean }): void {
  const hidden = () => new SvcError(isFlow ? "flow.notFound" : "script.notFound", { path });
  permit(actor, isFlow ? actions.runFlow : actions.runScript, { workspace, path }, hidden);
}

/**
 * Checks whether the actor may save scripts in the folder with which a concurrency key begins, because its scripts then wait for this one. The key of a
 * script or flow counts in its own folder otherwise. Throws as `permitPath`.
 */
export function permitConcurrencyKey(actor: Actor, workspace: string, path: string, key: string | null | undefined): void {
  if (!key || findKeySpace(key, path) === spaceOf(path)) return;
  permitPath(actor, { ...actions.saveScript, name: `sharing the concurrency key ${key}` }, workspace, key);
}

/** Returns a filter for the paths that a list may show to the caller, which checks the access to each path. */
export function createPathFilter({ actor, workspace }: WorkspaceCaller, access: AccessRule): (path: string) => boolean {
  return (path) => may(actor, access, { workspace, path });
}
