import * as z from "zod";
import { defined, mapDefined } from "../../contract/defined.ts";
import { type SvcEvent, TEST_EVENT } from "../../contract/events.ts";
import type { WebhookJson } from "../../contract/routes/events/webhooks.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { defineObject, inWorkspace, withoutValue } from "../objects/define-object.ts";
import { versionOfValue } from "../objects/setting-versions.ts";
import { matchesGlob } from "../patterns/glob.ts";

/** The id of the endpoint that `workspaces/edit_webhook` sets. */
export const WORKSPACE_ENDPOINT = "workspace";

/** The id of the endpoint that receives the events of the instance. */
export const INSTANCE_ENDPOINT = "instance";

/** A receiver of events. */
export const endpointSchema = z.object({
  id: z.string(),
  url: z.string(),
  /** The types that it receives. Absent: all. A later release may have stored a type that this one does not know. */
  events: z.array(z.string()).optional(),
  /** Globs of paths. Absent: all events, also those without a path. */
  paths: z.array(z.string()).optional(),
  description: z.string().optional(),
  enabled: z.boolean(),
  createdBy: z.string(),
  createdAtMs: z.number(),
  editedBy: z.string(),
  editedAtMs: z.number(),
  /** The first of the failed attempts since the last success. */
  failingSinceMs: z.number().optional(),
  /** The last attempt was slow, so the next ones use the slow lane (core/deliveries/message.ts). */
  isSlow: z.boolean().optional(),
  /** The reason for which the service switched the endpoint off. Enabling it again removes the reason. */
  disabledReason: z.string().optional(),
});
export type Endpoint = z.infer<typeof endpointSchema>;

/** The fields that an admin can change. `null` chooses all types or paths, or removes the description. Absent: unchanged. */
interface EndpointChange {
  url?: string | undefined;
  events?: readonly string[] | null | undefined;
  paths?: readonly string[] | null | undefined;
  description?: string | null | undefined;
  enabled?: boolean | undefined;
}

/** Returns a changed endpoint. Another URL is another receiver, so its failures are forgotten, and so are those of an endpoint that is enabled. */
export function changeEndpoint(before: Endpoint, change: EndpointChange, edit: { by: string; atMs: number }): Endpoint {
  const { failingSinceMs, isSlow, disabledReason, events, paths, description, ...others } = before;
  const url = change.url ?? before.url;
  const enabled = change.enabled ?? before.enabled;
  const isNew = change.enabled === true || url !== before.url;
  const unique = (list: readonly string[]) => [...new Set(list)];
  const chosen = {
    events: change.events === undefined ? events : change.events,
    paths: change.paths === undefined ? paths : change.paths,
    description: change.description === undefined ? description : change.description,
  };
  return {
    ...others,
    url,
    enabled,
    ...(chosen.events ? { events: unique(chosen.events) } : {}),
    ...(chosen.paths ? { paths: unique(chosen.paths) } : {}),
    ...(chosen.description ? { description: chosen.description } : {}),
    ...(failingSinceMs === undefined || isNew ? {} : { failingSinceMs }),
    ...(isSlow && url === before.url ? { isSlow } : {}),
    ...(disabledReason === undefined || enabled ? {} : { disabledReason }),
    editedBy: edit.by,
    editedAtMs: edit.atMs,
  };
}

/** Returns the version of an endpoint, of what admins set. The service records failures in the same item. */
export const versionOfEndpoint = (endpoint: Endpoint | undefined): string =>
  versionOfValue(endpoint && [endpoint.url, endpoint.events, endpoint.paths, endpoint.description, endpoint.enabled]);

/** Returns the API form of an endpoint for admins. Its URL is secret for all other users. */
export function toWebhookJson(endpoint: Endpoint): WebhookJson {
  const { id, url, events = null, paths = null, description, enabled, failingSinceMs, disabledReason } = endpoint;
  return {
    id,
    url,
    events,
    paths,
    ...defined({ description }),
    enabled,
    ...defined({ disabled_reason: disabledReason, failing_since: mapDefined(failingSinceMs, toIsoTime) }),
    created_by: endpoint.createdBy,
    created_at: toIsoTime(endpoint.createdAtMs),
    edited_by: endpoint.editedBy,
    edited_at: toIsoTime(endpoint.editedAtMs),
    version: versionOfEndpoint(endpoint),
  };
}

/**
 * Returns whether an endpoint has chosen the event, by its type and by its path or old path. Ignores whether the endpoint is enabled: a disabled
 * one receives tests too.
 */
export function matchesEndpoint({ id, events, paths }: Pick<Endpoint, "id" | "events" | "paths">, event: SvcEvent): boolean {
  if (event.type === TEST_EVENT) return event.data.endpoint === id;
  if (events && !events.includes(event.type)) return false;
  return !paths || listEventPaths(event).some((path) => paths.some((glob) => matchesGlob(glob, path)));
}

/** Returns the paths of an event: the current one and, after a rename, the old one. A folder has the path of its objects. Tokens, resource types and users have none. */
export function listEventPaths(event: SvcEvent): string[] {
  switch (event.type) {
    case "CreateFolder":
    case "UpdateFolder":
    case "DeleteFolder":
      return [`f/${event.data.name}`];
    default: {
      const { path, old_path: oldPath } = event.data as { path?: string; old_path?: string };
      return [path, oldPath].filter((each) => each !== undefined);
    }
  }
}

/** A receiver of the workspace's events. Every change reads the first receiver; without any, it writes no event. */
export const endpointObject = defineObject({
  name: "endpoint",
  partition: "ENDPOINT",
  ...inWorkspace,
  sort: (id: string) => id,
  schema: endpointSchema,
});

/** Changes with each new endpoint, so that concurrent calls cannot exceed the limit. */
export const endpointGuardObject = defineObject({
  name: "guard of endpoints",
  partition: "ENDPOINTS",
  ...inWorkspace,
  sort: () => "guard",
  ...withoutValue,
});
