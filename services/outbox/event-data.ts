import * as z from "zod";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { EventData } from "../../contract/events.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseObject } from "../../core/objects/parse-object.ts";
import type { StoredObject } from "../../core/objects/write.ts";

type Objects = Pick<ObjectTable, "get">;

const scriptListingSchema = z.object({
  hash: z.string(),
  parentHashes: z.array(z.string()).optional(),
  language: z.string(),
  kind: z.string().nullish(),
});

/** Loads the data of an event of the newest version at a path; `undefined` if there is none. */
export async function loadScriptEventData(objects: Objects, workspace: string, path: string) {
  return toScriptEventData(path, await objects.get(keys.scriptListing(workspace, path)));
}

/** Returns the data of an event of a script, read from its item in the list of scripts. */
export function toScriptEventData(path: string, listing: StoredObject | undefined): EventData<"UpdateScript"> | undefined {
  if (!listing) return undefined;
  const { hash, parentHashes: [parent] = [], language, kind } = parseObject(scriptListingSchema, listing);
  return { path, hash, ...(parent === undefined ? {} : { parent_hash: parent }), language, kind: kind ?? "script" };
}

/** Loads the data of an event of the newest version of a flow; `undefined` if there is none. */
export async function loadFlowEventData(objects: Objects, workspace: string, path: string): Promise<EventData<"UpdateFlow"> | undefined> {
  const listing = await objects.get(keys.flowListing(workspace, path));
  return listing && { path, ...parseObject(z.object({ version: z.number() }), listing) };
}

/** Loads the data of an event of an app; `undefined` if it does not exist. */
export async function loadAppEventData(objects: Objects, workspace: string, path: string): Promise<EventData<"UpdateApp"> | undefined> {
  const found = await objects.get(keys.app(workspace, path));
  return found && { path, ...parseObject(z.object({ version: z.number() }), found) };
}

/** Loads the data of an event of a resource; `undefined` if it does not exist. */
export async function loadResourceEventData(
  objects: Objects,
  workspace: string,
  path: string,
): Promise<EventData<"UpdateResource"> | undefined> {
  const found = await objects.get(keys.resource(workspace, path));
  return found && { path, resource_type: parseObject(z.object({ resourceType: z.string() }), found).resourceType };
}

/** Loads the data of an event of a variable; `undefined` if it does not exist. */
export async function loadVariableEventData(
  objects: Objects,
  workspace: string,
  path: string,
): Promise<EventData<"UpdateVariable"> | undefined> {
  const found = await objects.get(keys.variable(workspace, path));
  return found && { path, is_secret: parseObject(z.object({ isSecret: z.boolean() }), found).isSecret };
}
