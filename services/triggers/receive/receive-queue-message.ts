import { INSTANCE } from "../../../contract/common.ts";
import type { SqsFields } from "../../../contract/routes/triggers/trigger-kinds.ts";
import { WORKSPACE_TAG } from "../../../core/triggers/connect-call.ts";
import { fromQueueMessage, type QueueMessage } from "../../../core/triggers/events.ts";
import { sourceName } from "../../../core/triggers/sources.ts";
import { triggerSourceObject } from "../../../core/triggers/trigger.ts";
import type { Uses } from "../../uses.ts";
import { connectionWrite } from "../sources.ts";
import { loadTrigger } from "./load-trigger.ts";
import { type LoadedTrigger, startTriggeredJob } from "./start-job.ts";

/** No trigger uses the queue now: its messages remain in it, and none of them counts as failed. */
export class QueueNotConnected extends Error {
  override readonly name = "QueueNotConnected";
}

/**
 * Returns the trigger of a mapped queue. The tag of the queue names the workspace, and is read for each batch: a queue without it serves no
 * trigger. If none is found, the mapping is checked. Throws `QueueNotConnected`.
 */
export async function findQueueTrigger(deps: Uses<"objects" | "queues" | "toQueueUrl">, name: string): Promise<LoadedTrigger> {
  const { objects, queues, toQueueUrl } = deps;
  const workspace = (await queues.listTags(toQueueUrl(name)))?.[WORKSPACE_TAG];
  const source = { type: "queue", name } as const;
  const entry = workspace === undefined ? undefined : await objects.get(triggerSourceObject.key(workspace, sourceName(source)));
  const loaded = entry && (await loadTrigger(objects, triggerSourceObject.parse(entry)));
  if (loaded && loaded.trigger.mode !== "disabled") return loaded;
  // Without a tag the source belongs to no workspace, and its mapping is removed.
  await objects.transactWrite([connectionWrite({ workspace: workspace ?? INSTANCE, source })]);
  throw new QueueNotConnected(`The queue ${name} belongs to no trigger that is enabled.`);
}

/** Starts the job of a message of a queue. */
export async function receiveQueueMessage(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  loaded: LoadedTrigger,
  message: QueueMessage,
): Promise<string> {
  const { queue_url: queueUrl, message_attributes: names } = loaded.trigger.own as SqsFields;
  return startTriggeredJob(deps, loaded, fromQueueMessage(message, { queueUrl, names: names ?? null }));
}
