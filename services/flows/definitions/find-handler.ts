import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { type HandlerTarget, parseHandlerPath } from "../../../core/handlers/handler.ts";
import { keys } from "../../../core/objects/keys.ts";
import { parseScript } from "../../scripts/load.ts";
import { parseFlow } from "./load.ts";

/**
 * Returns the script or flow that a handler names. A path alone is that of a script, or of a flow where there is no such script. Returns `undefined`
 * for text of another form.
 */
export async function findHandlerTarget(
  objects: Pick<ObjectTable, "get">,
  workspace: string,
  text: string,
): Promise<HandlerTarget | undefined> {
  const target = parseHandlerPath(text);
  if (!target || text !== target.path) return target;
  const script = parseScript(await objects.get(keys.scriptHead(workspace, target.path)));
  if (script && !script.archived) return target;
  const flow = parseFlow(await objects.get(keys.flowHead(workspace, target.path)));
  return flow && !flow.archived ? { kind: "flow", path: target.path } : target;
}
