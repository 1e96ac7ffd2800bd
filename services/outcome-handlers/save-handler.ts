import type { ExpectedVersions } from "../../core/objects/version.ts";
import { parseHandlerPath } from "../../core/outcome-handlers/handler.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { requireRunnableHandler } from "../flows/definitions/require-runnable.ts";
import { checkStoredArguments } from "../resources/stored-arguments.ts";
import type { Uses } from "../uses.ts";
import { type HandlerName, type HandlerRequest, setWorkspaceHandler } from "../workspaces/handlers.ts";

/**
 * Sets the handler of a workspace, or removes it, and returns its path. The caller must be allowed to run it and to read what its arguments refer to, also
 * by the scopes of a token. Throws `script.notFound`, `flow.notFound`, `body.shape`, `reference.refused`, `object.versionChanged`,
 * `workspace.notFound` and `access.changedMeanwhile`.
 */
export async function saveWorkspaceHandler(
  deps: Uses<"objects" | "nowMs">,
  caller: WorkspaceCaller,
  name: HandlerName,
  request: HandlerRequest,
  expected?: ExpectedVersions,
): Promise<string | undefined> {
  const target = request.path ? parseHandlerPath(request.path) : undefined;
  if (target) await requireRunnableHandler(deps, caller, target);
  await checkStoredArguments(deps, caller, { extra_args: request.extra_args });
  return setWorkspaceHandler(deps, caller.workspace, name, request, { by: caller.actor.username, expected });
}
