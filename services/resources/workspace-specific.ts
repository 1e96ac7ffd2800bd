import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { actions } from "../../contract/access/actions.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseReadableObjects } from "../../core/objects/parse-object.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { storedResourceSchema } from "../../core/resources/resource.ts";
import { storedVariableSchema } from "../../core/variables/variable.ts";
import { createPathFilter } from "../identity/permit.ts";

/** A variable or resource whose value belongs to its workspace alone: a synchronisation stores it in a file of that workspace. */
interface WorkspaceSpecificItem {
  item_kind: "variable" | "resource";
  path: string;
}

/** Lists the variables and resources that are marked as workspace-specific and that the caller may read, by kind and path. */
export async function listWorkspaceSpecific(
  { objects }: { objects: Pick<ObjectTable, "list"> },
  caller: WorkspaceCaller,
): Promise<WorkspaceSpecificItem[]> {
  const { workspace } = caller;
  const [variables, resources] = await Promise.all([
    objects.list(keys.variable(workspace, "").pk),
    objects.list(keys.resource(workspace, "").pk),
  ]);
  const mayReadVariable = createPathFilter(caller, actions.readVariable.access);
  const mayReadResource = createPathFilter(caller, actions.readResource.access);
  return [
    ...parseReadableObjects(storedVariableSchema, variables).flatMap(({ path, wsSpecific }) =>
      wsSpecific && mayReadVariable(path) ? [{ item_kind: "variable" as const, path }] : [],
    ),
    ...parseReadableObjects(storedResourceSchema, resources).flatMap(({ path, wsSpecific }) =>
      wsSpecific && mayReadResource(path) ? [{ item_kind: "resource" as const, path }] : [],
    ),
  ];
}
