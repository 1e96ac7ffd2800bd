import { SvcError } from "../../../contract/errors.ts";
import { flowHeadObject } from "../../../core/flows/version.ts";
import type { HandlerTarget } from "../../../core/outcome-handlers/handler.ts";
import type { WorkspaceCaller } from "../../../core/people/actor.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { permitRun } from "../../identity/permit.ts";
import { requireNewestScript } from "../../scripts/load.ts";
import type { Uses } from "../../uses.ts";
import { requireNewestFlow } from "./load.ts";

/** Throws `script.notFound`, `flow.notFound`, or `body.shape` for a script whose language does not run here. */
async function requireRunnable({ objects }: Uses<"objects">, workspace: string, { kind, path }: HandlerTarget): Promise<void> {
  if (kind === "flow") {
    requireNewestFlow(await objects.get(flowHeadObject.key(workspace, path)), path);
    return;
  }
  requireRunner(requireNewestScript(await objects.get(scriptHeadObject.key(workspace, path)), path), "path");
}

/** Throws `body.shape` for a script that the field of a request names and whose language does not run here. */
export function requireRunner({ path, language, runner }: Pick<Runnable, "path" | "language" | "runner">, field: string): void {
  if (runner) return;
  throw new SvcError("body.shape", { issues: [{ path: field, reason: `${path} is written in ${language}, which does not run here` }] });
}

/** Checks that the caller, with the scopes of the token, may run a handler. Throws as `requireRunnable` does, and `auth.forbidden`. */
export async function requireRunnableHandler(
  deps: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  target: HandlerTarget,
): Promise<void> {
  permitRun(actor, workspace, { path: target.path, isFlow: target.kind === "flow" });
  await requireRunnable(deps, workspace, target);
}
