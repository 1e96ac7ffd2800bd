import { SvcError } from "../../contract/errors.ts";
import type { TriggerKind } from "../../contract/routes/triggers/trigger-kind.ts";
import type { TriggerJson } from "../../contract/routes/triggers/trigger-kinds.ts";
import type { TriggerListQuery } from "../../contract/routes/triggers/trigger-list.ts";
import { httpRouteFailuresObject, toFailuresJson } from "../../core/http-routes/failures.ts";
import { getVersion, type Versioned } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { matchesTrigger, type StoredTrigger, toTriggerJson, triggerFaultObject, triggerObject } from "../../core/triggers/trigger.ts";
import { loadPage } from "../objects/load-page.ts";
import type { Uses } from "../uses.ts";

/** The location of a trigger in a workspace. */
export interface TriggerPlace {
  workspace: string;
  kind: TriggerKind;
  path: string;
}

/** Returns a stored trigger. Throws `trigger.notFound`. */
export function requireTrigger(found: StoredObject | undefined, path: string): StoredTrigger {
  if (!found) throw new SvcError("trigger.notFound", { path });
  return triggerObject.parse(found);
}

/** Returns the form of a trigger in api.md §3.8. Throws `trigger.notFound`. */
export async function getTrigger(
  deps: Uses<"objects" | "mailDomain">,
  { workspace, kind, path }: TriggerPlace,
): Promise<Versioned<TriggerJson>> {
  const found = await deps.objects.get(triggerObject.key(workspace, kind, path));
  const trigger = requireTrigger(found, path);
  const [[shown], failures] = await Promise.all([
    showTriggers(deps, workspace, [trigger]),
    kind === "http" ? deps.objects.get(httpRouteFailuresObject.key(workspace, trigger.id)) : undefined,
  ]);
  const json = {
    ...(shown as TriggerJson),
    ...(failures ? { last_failures: toFailuresJson(httpRouteFailuresObject.parse(failures)) } : {}),
  };
  return { json, version: getVersion(found ?? {}) };
}

/** Returns whether a trigger of a kind exists at a path. */
export async function triggerExists({ objects }: Uses<"objects">, { workspace, kind, path }: TriggerPlace): Promise<boolean> {
  return (await objects.get(triggerObject.key(workspace, kind, path))) !== undefined;
}

/** Lists the triggers of a kind that match a query and that the caller may see, by path. */
export async function listTriggers(
  deps: Uses<"objects" | "mailDomain">,
  { workspace, kind }: Omit<TriggerPlace, "path">,
  query: TriggerListQuery,
  isVisible: (path: string) => boolean,
): Promise<TriggerJson[]> {
  const shown = await loadPage(
    deps,
    { kind: triggerObject, parts: [workspace, kind], isVisible, matches: (trigger) => matchesTrigger(trigger, query) },
    query,
  );
  return showTriggers(deps, workspace, shown);
}

async function showTriggers(
  { objects, mailDomain }: Uses<"objects" | "mailDomain">,
  workspace: string,
  triggers: readonly StoredTrigger[],
): Promise<TriggerJson[]> {
  const faults = await objects.batchGet(triggers.map(({ id }) => triggerFaultObject.key(workspace, id)));
  return triggers.map((trigger, index) => {
    const fault = faults[index];
    const error = fault && triggerFaultObject.parse(fault).message;
    return toTriggerJson(workspace, trigger, { error, mailDomain });
  });
}
