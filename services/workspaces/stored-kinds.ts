import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { keys } from "../../core/objects/keys.ts";

/** Lists the kinds of objects that are stored at paths with this beginning. Archived scripts and flows count. */
export async function listStoredKinds(objects: Pick<ObjectTable, "list">, workspace: string, beginsWith: string): Promise<string[]> {
  const kinds = { variables: keys.variable, resources: keys.resource, scripts: keys.scriptListing, flows: keys.flowListing };
  const found = await Promise.all(Object.values(kinds).map((key) => objects.list(key(workspace, "").pk, { beginsWith, limit: 1 })));
  return Object.keys(kinds).filter((_, index) => (found[index]?.length ?? 0) > 0);
}
