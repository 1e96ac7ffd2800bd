import { actions } from "../../contract/access/actions.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { createPathFilter } from "../identity/permit.ts";
import type { Uses } from "../uses.ts";

/** A variable or resource whose value is specific to its workspace: a synchronisation stores it in a file for that workspace. */
interface WorkspaceSpecificItem {
  item_kind: "variable" | "resource";
  path: string;
}

/** Lists the variables and resources that are marked as workspace-specific and that the caller may read, by kind and path. */
export async function listWorkspaceSpecific({ objects }: Uses<"objects">, caller: WorkspaceCaller): Promise<WorkspaceSpecificItem[]> {
  const { workspace } = caller;
  const [variables, resources] = await Promise.all([
    objects.list(variableObject.partitionKey(workspace)),
    objects.list(resourceObject.partitionKey(workspace)),
  ]);
  const mayReadVariable = createPathFilter(caller, actions.readVariable.access);
  const mayReadResource = createPathFilter(caller, actions.readResource.access);
  return [
    ...variableObject
      .parseReadable(variables)
      .flatMap(({ path, wsSpecific }) => (wsSpecific && mayReadVariable(path) ? [{ item_kind: "variable" as const, path }] : [])),
    ...resourceObject
      .parseReadable(resources)
      .flatMap(({ path, wsSpecific }) => (wsSpecific && mayReadResource(path) ? [{ item_kind: "resource" as const, path }] : [])),
  ];
}
