import * as z from "zod";
import { type HttpFields, httpMethodSchema } from "../../contract/routes/triggers/http-fields.ts";
import { defineObject } from "../objects/define-object.ts";
import type { StoredTrigger } from "../triggers/trigger.ts";
import { isSameAddress, toHttpRouteAddress } from "./address.ts";

/** An entry of a route, together with those whose addresses begin with the same text. It identifies the items that a request needs. */
export const httpRouteEntrySchema = z.object({
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
export type HttpRouteEntry = z.infer<typeof httpRouteEntrySchema>;
const httpRouteEntriesSchema = z.object({ routes: z.array(httpRouteEntrySchema) });

/** Returns the entry of a route. */
export function toHttpRouteEntry(workspace: string, { own, path, id, scriptPath, isFlow, email }: StoredTrigger): HttpRouteEntry {
  const fields = own as HttpFields;
  const { authentication_resource_path: credential } = fields;
  return {
    ...toHttpRouteAddress(workspace, fields),
    workspace,
    path,
    id,
    scriptPath,
    isFlow,
    email,
    ...(credential ? { credential } : {}),
  };
}

/** Returns whether an entry matches the current state of a trigger. */
export const isEntryOf = (entry: HttpRouteEntry, workspace: string, trigger: StoredTrigger): boolean =>
  JSON.stringify(entry) === JSON.stringify(toHttpRouteEntry(workspace, trigger));

/** Returns the route that would answer the same requests as another one. */
export const findConflict = (
  httpRoutes: readonly HttpRouteEntry[],
  entry: Omit<HttpRouteEntry, "path" | "scriptPath" | "isFlow" | "email">,
): HttpRouteEntry | undefined => httpRoutes.find((other) => other.id !== entry.id && isSameAddress(other, entry));

/** DynamoDB stores 400 KB in one item. A request reads the whole item. */
const MOST_BYTES = 300_000;
/** Returns whether the entries are too large for one item. */
export const areTooLarge = (httpRoutes: readonly HttpRouteEntry[]): boolean => Buffer.byteLength(JSON.stringify(httpRoutes)) > MOST_BYTES;

/** The HTTP triggers whose addresses begin with the same text segments. All workspaces share the addresses. */
export const httpRoutesAtObject = defineObject({
  name: "routes at an address",
  partition: "ROUTES",
  within: (prefix: string) => prefix,
  sort: () => "routes",
  belongsTo: "none",
  schema: httpRouteEntriesSchema,
});
