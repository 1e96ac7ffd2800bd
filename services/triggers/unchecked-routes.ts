import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { routesOfTriggerKinds } from "../../contract/routes/triggers/triggers.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseReadableObjects } from "../../core/objects/parse-object.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { storedTriggerSchema } from "../../core/triggers/trigger.ts";
import { parseFlow } from "../flows/definitions/load.ts";
import { parseScript } from "../scripts/load.ts";

/**
 * Returns the paths of the HTTP routes that refuse every request, because the preprocessor of their script or flow would check their requests and there
 * is none. Only routes that the caller may read are named.
 */
export async function findUncheckedRoutes(
  { objects }: { objects: Pick<ObjectTable, "get" | "list"> },
  { actor, workspace }: WorkspaceCaller,
  { path, isFlow }: { path: string; isFlow: boolean },
): Promise<string[]> {
  const stored = parseReadableObjects(storedTriggerSchema, await objects.list(keys.trigger(workspace, "http", "").pk));
  const routes = stored.filter(
    (trigger) =>
      trigger.scriptPath === path &&
      trigger.isFlow === isFlow &&
      trigger.own["authentication_method"] === "custom_script" &&
      may(actor, routesOfTriggerKinds.http.get.access, { workspace, path: trigger.path }),
  );
  if (routes.length === 0) return [];
  const runnable = isFlow
    ? parseFlow(await objects.get(keys.flowHead(workspace, path)))
    : parseScript(await objects.get(keys.scriptHead(workspace, path)));
  return runnable?.preprocessor ? [] : routes.map((route) => route.path).sort();
}
