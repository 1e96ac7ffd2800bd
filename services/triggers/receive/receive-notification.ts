import type { AwsFields } from "../../../contract/routes/triggers/trigger-kinds.ts";
import { fromEvent, fromNotification, type RuleMessage, type SnsNotification } from "../../../core/triggers/events.ts";
import { matchesFilterPolicy } from "../../../core/triggers/filter-policy.ts";
import { findMissingSource, findTopicWorkspaces, parseSourceName, sourceName } from "../../../core/triggers/sources.ts";
import { triggerSourceObject } from "../../../core/triggers/trigger.ts";
import type { Uses } from "../../uses.ts";
import { connectionWrite, loadAllowedSources } from "../sources.ts";
import { loadTrigger } from "./load-trigger.ts";
import { type LoadedTrigger, startTriggeredJob } from "./start-job.ts";

const isEnabled = (loaded: LoadedTrigger | undefined): loaded is LoadedTrigger =>
  loaded !== undefined && loaded.trigger.mode !== "disabled";

/**
 * Starts the jobs of a notification of a topic: one for each trigger whose filter policy it matches, in the workspaces for which the topic is
 * still listed. If one of them fails, the notification arrives again, and starts only the missing jobs. Throws as `startTriggeredJob` does.
 */
export async function receiveNotification(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  notification: SnsNotification,
): Promise<string[]> {
  const { objects } = deps;
  const { TopicArn: arn, MessageAttributes } = notification;
  const workspaces = findTopicWorkspaces(await loadAllowedSources(objects), arn);
  const beginsWith = `${sourceName({ type: "topic", arn })}#`;
  const lists = await Promise.all(workspaces.map((each) => objects.list(triggerSourceObject.partitionKey(each), { beginsWith })));
  const refs = triggerSourceObject.parseReadable(lists.flat());
  const loaded = (await Promise.all(refs.map((ref) => loadTrigger(objects, ref)))).filter(isEnabled);
  const matching = loaded.filter(({ trigger }) => matchesFilterPolicy((trigger.own as AwsFields).filter_policy, MessageAttributes ?? {}));
  return startAll(matching.map((one) => () => startTriggeredJob(deps, one, fromNotification(notification))));
}

/** Starts all jobs, and throws the first failure when the others have started. */
async function startAll(starts: (() => Promise<string>)[]): Promise<string[]> {
  // The first failure is thrown below, and the others fail again with the next delivery.
  const settled = await Promise.allSettled(starts.map((start) => start()));
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

/**
 * Starts the job of an event that a trigger's rule sent. An event of a rule whose trigger is deleted, disabled or no longer allowed starts
 * nothing, and requests a check of the rule. Throws as `startTriggeredJob` does.
 */
export async function receiveEvent(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  message: RuleMessage,
): Promise<string[]> {
  const { objects } = deps;
  const { workspace, source: sk } = message.svc;
  const entry = await objects.get(triggerSourceObject.key(workspace, sk));
  const loaded = entry && (await loadTrigger(objects, triggerSourceObject.parse(entry)));
  const fields = loaded?.trigger.own as AwsFields | undefined;
  const isAllowed = fields !== undefined && findMissingSource(fields, (await loadAllowedSources(objects))[workspace] ?? []) === undefined;
  if (isEnabled(loaded) && fields && isAllowed)
    return [await startTriggeredJob(deps, loaded, fromEvent(message, fields.source === "s3" ? "s3" : "eventbridge"))];
  const source = parseSourceName(sk);
  if (source) await objects.transactWrite([connectionWrite({ workspace, source })]);
  return [];
}
