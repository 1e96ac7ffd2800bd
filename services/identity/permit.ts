import { SvcError } from "../../contract/errors.ts";
import type { Actor } from "../../core/people/actor.ts";
import { may, refusal, type Target } from "../../core/permissions/may.ts";

/**
 * Returns where the caller may. Throws `auth.forbidden`, or, where they may not know that the thing is there, what they would be told if
 * it was not: `hidden`, or `workspace.notFound`.
 */
export function permit(actor: Actor, action: string, target: Target, hidden?: () => SvcError): void {
  if (may(actor, action, target)) return;
  const how = refusal(actor, action, target);
  if (how === "hiddenWorkspace") throw new SvcError("workspace.notFound", { workspace: target.workspace ?? "" });
  if (how === "hidden" && hidden) throw hidden();
  throw new SvcError("auth.forbidden", { action });
}

/** The same for where something is to be saved: a folder that the caller may not see is not there for them. */
export function permitPlace(actor: Actor, action: string, workspace: string, path: string): void {
  permit(actor, action, { workspace, path }, () => noPlace(path));
}

function noPlace(path: string): SvcError {
  const [space, folder = ""] = path.split("/");
  return space === "f" ? new SvcError("path.noFolder", { path, folder }) : new SvcError("auth.forbidden", { action: `saving at ${path}` });
}
