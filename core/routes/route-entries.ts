import * as z from "zod";
import { type HttpFields, httpMethodSchema } from "../../contract/routes/triggers/http-fields.ts";
import { defineObject } from "../objects/define-object.ts";
import type { StoredTrigger } from "../triggers/trigger.ts";
import { isSameAddress, toRouteAddress } from "./address.ts";

/** A route among those whose addresses begin with the same text, with what names the items that a request needs. */
export const routeEntrySchema = z.object({
  method: httpMethodSchema,
  address: z.string(),
  isFolder: z.boolean(),
  workspace: z.string(),
  path: z.string(),
  id: z.string(),
  scriptPath: z.string(),
  isFlow: z.boolean(),
  /** The user with whose rights the jobs run. */
  email: z.string(),
  /** The resource of the authentication, if it has one. */
  credential: z.string().optional(),
});
export type RouteEntry = z.infer<typeof routeEntrySchema>;
const routeEntriesSchema = z.object({ routes: z.array(routeEntrySchema) });

/** Returns the entry of a route. */
export function toRouteEntry(workspace: string, { own, path, id, scriptPath, isFlow, email }: StoredTrigger): RouteEntry {
  const fields = own as HttpFields;
  const { authentication_resource_path: credential } = fields;
  return { ...toRouteAddress(workspace, fields), workspace, path, id, scriptPath, isFlow, email, ...(credential ? { credential } : {}) };
}

/** Returns whether an entry was written for a trigger as it is now. */
export const isEntryOf = (entry: RouteEntry, workspace: string, trigger: StoredTrigger): boolean =>
  JSON.stringify(entry) === JSON.stringify(toRouteEntry(workspace, trigger));

/** Returns the route that would answer the same requests as another one. */
export const findConflict = (
  routes: readonly RouteEntry[],
  entry: Omit<RouteEntry, "path" | "scriptPath" | "isFlow" | "email">,
): RouteEntry | undefined => routes.find((other) => other.id !== entry.id && isSameAddress(other, entry));

/** DynamoDB stores 400 KB in one item. A request reads the whole item. */
const MOST_BYTES = 300_000;
/** Returns whether the entries are too large for one item. */
export const areTooLarge = (routes: readonly RouteEntry[]): boolean => Buffer.byteLength(JSON.stringify(routes)) > MOST_BYTES;

/** The HTTP triggers whose addresses begin with the same text segments. All workspaces share the addresses. */
export const routesAtObject = defineObject({
  name: "routes at an address",
  partition: "ROUTES",
  within: (prefix: string) => prefix,
  sort: () => "routes",
  belongsTo: "none",
  schema: routeEntriesSchema,
});
