import type { Actor } from "../people/actor.ts";

/** What an action is done to. */
export interface Target {
  workspace?: string;
  path?: string;
}

/**
 * The one place where rights are decided. It knows superadmins for now; roles, groups, folders and scopes come in here.
 * A token bound to a workspace, and a job's token, never reach another workspace nor the instance.
 */
export function may(actor: Actor, _action: string, target: Target): boolean {
  if (actor.workspace !== undefined && target.workspace !== undefined && actor.workspace !== target.workspace) return false;
  return actor.superAdmin;
}
