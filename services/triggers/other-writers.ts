import { parseHandlerPath } from "../../core/outcome-handlers/handler.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { listWriters } from "../../core/permissions/access.ts";
import type { Uses } from "../uses.ts";
import { loadAccess } from "../workspaces/access.ts";

/** The scripts and flows of a schedule or trigger, from its JSON. Handlers begin with `script/` or `flow/`. */
export interface SavedStarter {
  script_path: string;
  is_flow: boolean;
  is_static_website?: boolean | undefined;
  on_failure?: string | null | undefined;
  on_recovery?: string | null | undefined;
  on_success?: string | null | undefined;
  /** A script that decides whether a run starts. */
  dynamic_skip?: string | null | undefined;
  error_handler_path?: string | null | undefined;
}

/** A script or flow that others may change, although it runs with the rights of an admin. */
export interface SharedRunnable {
  path: string;
  writers: string[];
}

/**
 * Returns the scripts and flows of an admin's schedule or trigger that others may change, with those users and groups: a user who changes the
 * script can use the admin's rights. Empty for callers who are not admins.
 */
export async function findOtherWriters(
  { objects }: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  load: () => Promise<SavedStarter>,
): Promise<SharedRunnable[]> {
  if (!actor.superAdmin && actor.rights?.role !== "admin") return [];
  const [saved, { access }] = await Promise.all([load(), loadAccess(objects, workspace)]);
  return listRunnables(saved).flatMap(({ kind, path }) => {
    const writers = listWriters(access, kind, path).filter((writer) => writer !== `u/${actor.username}`);
    return writers.length > 0 ? [{ path, writers }] : [];
  });
}

function listRunnables(saved: SavedStarter) {
  const { on_failure, on_recovery, on_success, dynamic_skip, error_handler_path } = saved;
  const handlers = [on_failure, on_recovery, on_success, dynamic_skip, error_handler_path].flatMap(
    (handler) => parseHandlerPath(handler ?? "") ?? [],
  );
  const target = { kind: saved.is_flow ? "flow" : "script", path: saved.script_path };
  const all = [...(saved.is_static_website ? [] : [target]), ...handlers];
  return all.filter(({ kind, path }, index) => index === all.findIndex((one) => one.kind === kind && one.path === path));
}
