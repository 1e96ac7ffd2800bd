import { ask } from "../../data/objects-api.ts";
import { resourcesText, storedText } from "../../messages/objects/stored.ts";
import type { Described } from "../../parts/stored/differing-fields.ts";
import type { Loaded } from "../../parts/stored/use-editor.ts";

/** The fields of the form of a resource. */
export interface ResourceValues {
  path: string;
  type: string;
  description: string;
  value: unknown;
}

export const newResource: ResourceValues = { path: "", type: "", description: "", value: {} };

/** Reads a resource for its form. References in its value stay references. */
export async function loadResource(workspace: string, path: string): Promise<Loaded<ResourceValues>> {
  const { value: stored, headers } = await ask.resources.get({ workspace, path });
  const { resource_type: type, description = "", value = null } = stored;
  return { values: { path, type, description, value }, version: headers.get("etag") ?? undefined };
}

/** Describes a resource for the comparison of two versions. */
export const describeResource = ({ path, type, description, value }: ResourceValues): Described => ({
  [storedText.path]: path,
  [resourcesText.type]: type,
  [storedText.description]: description,
  [resourcesText.value]: JSON.stringify(value, null, 2),
});
