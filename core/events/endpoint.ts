import * as z from "zod";
import { type SvcEvent, TEST_EVENT } from "../../contract/events.ts";
import { matchesGlob } from "../patterns/glob.ts";

/** The id of the endpoint that `workspaces/edit_webhook` sets. */
export const WORKSPACE_ENDPOINT = "workspace";

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
  /** Why the service switched the endpoint off. An admin who enables it again removes the reason. */
  disabledReason: z.string().optional(),
});
export type Endpoint = z.infer<typeof endpointSchema>;

/** Returns whether an endpoint has chosen the event, by its type and by its path or old path. Ignores whether the endpoint is enabled. */
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
