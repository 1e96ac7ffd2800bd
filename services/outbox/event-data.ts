import { defined } from "../../contract/defined.ts";
import type { EventData } from "../../contract/events.ts";
import { appObject } from "../../core/apps/app.ts";
import { flowListingObject } from "../../core/flows/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { scriptListingObject } from "../../core/scripts/version.ts";
import { variableObject } from "../../core/variables/variable.ts";
import type { ObjectStore } from "../../ports/object-store.ts";

type Objects = Pick<ObjectStore, "get">;

/** Loads the data of an event of the newest version at a path; `undefined` if there is none. */
export async function loadScriptEventData(objects: Objects, workspace: string, path: string) {
  return toScriptEventData(path, await objects.get(scriptListingObject.key(workspace, path)));
}

/** Returns the data of an event of a script, read from its item in the list of scripts. */
export function toScriptEventData(path: string, listing: StoredObject | undefined): EventData<"UpdateScript"> | undefined {
  if (!listing) return undefined;
  const {
    hash,
    parentHashes: [parent],
    language,
    kind,
  } = scriptListingObject.parse(listing);
  return { path, hash, ...defined({ parent_hash: parent }), language, kind: kind ?? "script" };
}

/** Loads the data of an event of the newest version of a flow; `undefined` if there is none. */
export async function loadFlowEventData(objects: Objects, workspace: string, path: string): Promise<EventData<"UpdateFlow"> | undefined> {
  const listing = await objects.get(flowListingObject.key(workspace, path));
  return listing && { path, version: flowListingObject.parse(listing).version };
}

/** Loads the data of an event of an app; `undefined` if it does not exist. */
export async function loadAppEventData(objects: Objects, workspace: string, path: string): Promise<EventData<"UpdateApp"> | undefined> {
  const found = await objects.get(appObject.key(workspace, path));
  return found && { path, version: appObject.parse(found).version };
}

/** Loads the data of an event of a resource; `undefined` if it does not exist. */
export async function loadResourceEventData(
  objects: Objects,
  workspace: string,
  path: string,
): Promise<EventData<"UpdateResource"> | undefined> {
  const found = await objects.get(resourceObject.key(workspace, path));
  return found && { path, resource_type: resourceObject.parse(found).resourceType };
}

/** Loads the data of an event of a variable; `undefined` if it does not exist. */
export async function loadVariableEventData(
  objects: Objects,
  workspace: string,
  path: string,
): Promise<EventData<"UpdateVariable"> | undefined> {
  const found = await objects.get(variableObject.key(workspace, path));
  return found && { path, is_secret: variableObject.parse(found).isSecret };
}
