import { flowHeadObject } from "../../../core/flows/version.ts";
import { type HandlerTarget, parseHandlerPath } from "../../../core/outcome-handlers/handler.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import { parseScript } from "../../scripts/load.ts";
import { parseFlow } from "./load.ts";

/**
 * Returns the script or flow of a handler. A path alone is that of a script, or of a flow if there is no such script. Returns `undefined` for
 * text of another form.
 */
export async function findHandlerTarget(
  objects: Pick<ObjectStore, "get">,
  workspace: string,
  text: string,
): Promise<HandlerTarget | undefined> {
  const target = parseHandlerPath(text);
  if (!target || text !== target.path) return target;
  const script = parseScript(await objects.get(scriptHeadObject.key(workspace, target.path)));
  if (script && !script.archived) return target;
  const flow = parseFlow(await objects.get(flowHeadObject.key(workspace, target.path)));
  return flow && !flow.archived ? { kind: "flow", path: target.path } : target;
}
