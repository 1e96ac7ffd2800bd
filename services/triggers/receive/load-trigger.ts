import { type TriggerRef, triggerObject } from "../../../core/triggers/trigger.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import type { LoadedTrigger } from "./start-job.ts";

/** Loads the trigger of an entry. Returns `undefined` if it no longer exists, or if another trigger was created at its path since. */
export async function loadTrigger(
  objects: Pick<ObjectStore, "get">,
  { workspace, kind, path, id }: TriggerRef,
): Promise<LoadedTrigger | undefined> {
  const stored = await objects.get(triggerObject.key(workspace, kind, path));
  const trigger = stored && triggerObject.parse(stored);
  return stored && trigger?.id === id ? { workspace, trigger, stored } : undefined;
}
