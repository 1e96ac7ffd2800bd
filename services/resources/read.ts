import { SvcError } from "../../contract/errors.ts";
import type { ListedResourceJson, ResourceJson, ResourceListQuery } from "../../contract/routes/stored/resources.ts";
import { getVersion, type Versioned } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import {
  matchesResource,
  parseResourceValue,
  resourceObject,
  type StoredResource,
  toListedResourceJson,
  toResourceJson,
} from "../../core/resources/resource.ts";
import { toRefreshJson, variableObject } from "../../core/variables/variable.ts";
import { loadPage } from "../objects/load-page.ts";
import type { Uses } from "../uses.ts";

/** Returns the stored resource. Throws `resource.notFound`. */
function requireResource(found: StoredObject | undefined, path: string): StoredResource {
  if (!found) throw new SvcError("resource.notFound", { path });
  return resourceObject.parse(found);
}

/** Returns the resource at a path. Throws `resource.notFound`. */
export async function findResource({ objects }: Uses<"objects">, workspace: string, path: string): Promise<StoredResource> {
  return requireResource(await objects.get(resourceObject.key(workspace, path)), path);
}

/** Returns the form of a resource in the API. Throws `resource.notFound`. */
export async function getResource({ objects }: Uses<"objects">, workspace: string, path: string): Promise<Versioned<ResourceJson>> {
  const found = await objects.get(resourceObject.key(workspace, path));
  return { json: toResourceJson(workspace, requireResource(found, path)), version: getVersion(found ?? {}) };
}

/** Returns whether a resource exists at a path. */
export async function resourceExists({ objects }: Uses<"objects">, workspace: string, path: string): Promise<boolean> {
  return (await objects.get(resourceObject.key(workspace, path))) !== undefined;
}

/** Loads the resources of a workspace that the caller may see, by path. */
async function loadResources(
  { objects }: Uses<"objects">,
  workspace: string,
  isVisible: (path: string) => boolean,
): Promise<StoredResource[]> {
  const stored = resourceObject.parseReadable(await objects.list(resourceObject.partitionKey(workspace)));
  return stored.filter(({ path }) => isVisible(path));
}

/** Lists the resources that match a query and that the caller may see, by path. */
export async function listResources(
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  query: ResourceListQuery,
  isVisible: (path: string) => boolean,
): Promise<ListedResourceJson[]> {
  const shown = await loadPage(
    deps,
    { kind: resourceObject, parts: [workspace], isVisible, matches: (resource) => matchesResource(resource, query) },
    query,
  );
  const variables = await deps.objects.batchGet(shown.map(({ path }) => variableObject.key(workspace, path)));
  return shown.map((resource, index) => {
    const variable = variables[index];
    const stored = variable && variableObject.parse(variable);
    const linked = stored && { account: stored.account, ...toRefreshJson(stored, deps.nowMs()) };
    return toListedResourceJson(workspace, resource, linked);
  });
}

/** Lists the resources of one type that the caller may see. A name is a path without its space and folder. */
export async function listResourceNames(
  deps: Uses<"objects">,
  workspace: string,
  type: string,
  isVisible: (path: string) => boolean,
): Promise<{ name: string; path: string }[]> {
  const found = (await loadResources(deps, workspace, isVisible)).filter(({ resourceType }) => resourceType === type);
  return found.map(({ path }) => ({ name: path.split("/").slice(2).join("/"), path }));
}

/** Returns the values of all resources that the caller may see, for a search in their content. Throws `UnreadableRecordError`. */
export async function searchResources(
  deps: Uses<"objects">,
  workspace: string,
  isVisible: (path: string) => boolean,
): Promise<{ path: string; value: unknown }[]> {
  const found = await loadResources(deps, workspace, isVisible);
  return found.map((resource) => ({ path: resource.path, value: parseResourceValue(resource) }));
}
