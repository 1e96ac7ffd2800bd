import { triggerFaultObject } from "../../core/triggers/trigger.ts";
import type { Uses } from "../uses.ts";

/** The maximum length of a stored sentence. */
const FAULT_CHARS = 500;

/**
 * Records the reason for which a trigger receives no messages, or with `undefined` that it receives them again. Writes nothing if it is
 * unchanged.
 */
export async function recordFault(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  workspace: string,
  id: string,
  message: string | undefined,
): Promise<void> {
  const key = triggerFaultObject.key(workspace, id);
  const found = await objects.get(key);
  const recorded = found && triggerFaultObject.parse(found).message;
  const text = message?.slice(0, FAULT_CHARS);
  if (recorded === text) return;
  if (text === undefined) await objects.deleteItem(key);
  else await objects.put({ ...key, value: { message: text, atMs: nowMs() } });
}
