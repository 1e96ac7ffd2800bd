import * as z from "zod";
import { actions } from "../../../contract/access/actions.ts";
import { isSvcError, SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { SqsFields } from "../../../contract/routes/triggers/trigger-kinds.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { PollCall } from "../../../core/triggers/connect-call.ts";
import { parseQueueUrl } from "../../../core/triggers/sources.ts";
import type { RemoteQueue } from "../../../ports/queues.ts";
import { permit } from "../../identity/permit.ts";
import { loadRunAsActor } from "../../identity/run-as.ts";
import { resolveResource } from "../../resources/resolve.ts";
import type { Uses } from "../../uses.ts";
import { recordFault } from "../faults.ts";
import { loadTrigger } from "./load-trigger.ts";
import { receiveQueueMessage } from "./receive-queue-message.ts";
import { handOver } from "./receive-records.ts";
import type { LoadedTrigger } from "./start-job.ts";

export type PollDeps = Uses<"jobs" | "objects" | "storage" | "queue" | "queues" | "dataKeys" | "nowMs" | "isLocal">;

/** The names that AWS resources of other servers use. */
const awsKeysSchema = z
  .looseObject({
    awsAccessKeyId: z.string().optional(),
    awsSecretAccessKey: z.string().optional(),
    accessKeyId: z.string().optional(),
    secretAccessKey: z.string().optional(),
    sessionToken: z.string().nullish(),
    region: z.string().nullish(),
  })
  .transform(({ awsAccessKeyId, awsSecretAccessKey, accessKeyId, secretAccessKey, sessionToken, region }) => ({
    accessKeyId: awsAccessKeyId ?? accessKeyId ?? "",
    secretAccessKey: awsSecretAccessKey ?? secretAccessKey ?? "",
    region: region ?? undefined,
    ...(sessionToken ? { sessionToken } : {}),
  }));

/**
 * Reads each queue with its access keys until it is empty or the time has passed (`limits.pollMs`), and starts the jobs of its messages. Returns
 * the number of messages that started jobs. A queue that fails does not stop the others: its trigger shows the failure.
 */
export async function pollQueues(deps: PollDeps, { poll }: PollCall): Promise<number> {
  const untilMs = Date.now() + limits.pollMs;
  const counts = await Promise.all(
    poll.map(async (ref) => {
      try {
        return await pollQueue(deps, { ...ref, kind: "sqs" }, untilMs);
      } catch (error) {
        reportFailure("A queue could not be read", error, { workspace: ref.workspace });
        await recordFault(deps, ref.workspace, ref.id, `The queue could not be read: ${describe(error)}`);
        return 0;
      }
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** An error of SQS describes the fault of the keys or the queue. */
const describe = (error: unknown) =>
  isSvcError(error) ? error.code : error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 300) : "unknown";

async function pollQueue(deps: PollDeps, ref: PollCall["poll"][number] & { kind: "sqs" }, untilMs: number): Promise<number> {
  const loaded = await loadTrigger(deps.objects, ref);
  if (!loaded || loaded.trigger.mode === "disabled") return 0;
  const queue = await openQueue(deps, loaded);
  let started = 0;
  try {
    while (Date.now() + limits.pollWaitMs < untilMs) {
      const messages = await queue.receiveMessages(limits.pollWaitMs / 1000);
      if (messages.length === 0) break;
      const done = await Promise.all(messages.map((message) => takeMessage(deps, loaded, queue, message)));
      started += done.filter(Boolean).length;
    }
  } finally {
    queue.close();
  }
  await recordFault(deps, ref.workspace, ref.id, undefined);
  return started;
}

async function openQueue(deps: PollDeps, { workspace, trigger }: LoadedTrigger): Promise<RemoteQueue> {
  const { queue_url: url, aws_resource_path: path } = trigger.own as SqsFields;
  const parsedUrl = parseQueueUrl(url);
  const actor = await loadRunAsActor(deps.objects, workspace, trigger);
  if (!actor || actor.workspaceState || !path) throw new SvcError("trigger.notPermittedAs", { permissionedAs: trigger.permissionedAs });
  permit(actor, actions.readResource, { workspace, path }, () => new SvcError("resource.notFound", { path }));
  const { value } = await resolveResource(deps, actor, workspace, path);
  const { region, ...keys } = awsKeysSchema.parse(value);
  // The URL of AWS names the region. Another URL can only belong to the local engine.
  if (parsedUrl?.region === undefined && !deps.isLocal)
    throw new SvcError("trigger.source", { field: "queue_url", reason: "not a queue of SQS" });
  return deps.queues.openQueue(url, { ...keys, region: parsedUrl?.region ?? region });
}

/** A message is deleted when its job is recorded. One that fails returns by itself. */
async function takeMessage(
  deps: PollDeps,
  loaded: LoadedTrigger,
  queue: RemoteQueue,
  message: Awaited<ReturnType<RemoteQueue["receiveMessages"]>>[number],
): Promise<boolean> {
  try {
    await handOver(deps, message, () => receiveQueueMessage(deps, loaded, message), loaded.trigger.id);
    await queue.deleteMessage(message.receiptHandle);
    return true;
  } catch (error) {
    reportFailure("A message started no job", error, { message: message.id });
    return false;
  }
}
