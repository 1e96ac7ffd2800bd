import { routesOfTriggerKinds } from "../../contract/routes/triggers/triggers.ts";
import { flowHeadObject } from "../../core/flows/version.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { triggerObject } from "../../core/triggers/trigger.ts";
import { parseFlow } from "../flows/definitions/load.ts";
import { parseScript } from "../scripts/load.ts";
import type { Uses } from "../uses.ts";

/**
 * Returns the paths of the HTTP routes that refuse every request, because the preprocessor that must check their requests is missing. Only routes
 * that the caller may read are named.
 */
export async function findUncheckedHttpRoutes(
  { objects }: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  { path, isFlow }: { path: string; isFlow: boolean },
): Promise<string[]> {
  const stored = triggerObject.parseReadable(await objects.list(triggerObject.partitionKey(workspace, "http")));
  const routes = stored.filter(
    (trigger) =>
      trigger.scriptPath === path &&
      trigger.isFlow === isFlow &&
      trigger.own["authentication_method"] === "custom_script" &&
      may(actor, routesOfTriggerKinds.http.get.access, { workspace, path: trigger.path }),
  );
  if (routes.length === 0) return [];
  const runnable = isFlow
    ? parseFlow(await objects.get(flowHeadObject.key(workspace, path)))
    : parseScript(await objects.get(scriptHeadObject.key(workspace, path)));
  return runnable?.preprocessor ? [] : routes.map((route) => route.path).sort();
}
