import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { keys } from "../../../core/objects/keys.ts";
import { parseObject } from "../../../core/objects/parse-object.ts";
import { storedTriggerSchema, type TriggerRef } from "../../../core/triggers/trigger.ts";
import type { LoadedTrigger } from "./start-job.ts";

/** Loads the trigger that an entry names. Returns `undefined` if it is gone, or if another one was created at its path since. */
export async function loadTrigger(
  objects: Pick<ObjectTable, "get">,
  { workspace, kind, path, id }: TriggerRef,
): Promise<LoadedTrigger | undefined> {
  const stored = await objects.get(keys.trigger(workspace, kind, path));
  const trigger = stored && parseObject(storedTriggerSchema, stored);
  return stored && trigger?.id === id ? { workspace, trigger, stored } : undefined;
}
