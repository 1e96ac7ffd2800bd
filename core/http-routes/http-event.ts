import type { Arguments } from "../payload/arguments.ts";
import { escapeEventReferences } from "../resources/refer.ts";
import type { TriggerEvent } from "../triggers/events.ts";
import type { FoundHttpRoute } from "./http-route.ts";

/** A request of a route in the event for a preprocessor. `path` is the requested address below `/api/r/`, as sent. */
export interface HttpRequestLine {
  method: string;
  path: string;
}

/**
 * Returns the event of a route's request. The request cannot set its kind, path and parameters. Its texts are not references.
 */
export function toHttpEvent(
  { workspace, trigger, fields, params }: Pick<FoundHttpRoute, "workspace" | "trigger" | "fields" | "params">,
  { method, path }: HttpRequestLine,
  requestEvent: NonNullable<Arguments["event"]>,
): TriggerEvent {
  const route = `/${fields.workspaced_route ? `${workspace}/` : ""}${fields.route_path.replace(/^\/+/, "")}`;
  return {
    ...escapeEventReferences({ ...requestEvent, params: { ...params } }),
    kind: trigger.kind,
    trigger_path: trigger.path,
    route,
    path: `/${path}`,
    method,
  };
}

/** Returns the parts of a path that a script or flow names as parameters. `names` is `null` if its parameters are not known. */
export function selectPathArguments(params: FoundHttpRoute["params"], names: readonly string[] | null): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => names === null || names.includes(name)));
}
