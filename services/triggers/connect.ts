import { buildTriggerRulePrefix } from "../../contract/deployment/stack-names.ts";
import type { AwsFields, SqsFields } from "../../contract/routes/triggers/trigger-kinds.ts";
import { write } from "../../core/objects/write.ts";
import { accessObject } from "../../core/permissions/access.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { type CheckSource, type ConnectSources, WORKSPACE_TAG } from "../../core/triggers/connect-call.ts";
import { buildRuleInput } from "../../core/triggers/events.ts";
import {
  buildEventPattern,
  connectionObject,
  findMissingSource,
  findTopicWorkspaces,
  parseQueueUrl,
  sourceName,
} from "../../core/triggers/sources.ts";
import { hashName, type StoredTrigger, type TriggerRef, triggerObject, triggerSourceObject } from "../../core/triggers/trigger.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import type { EventSourceMappings, Mapping } from "../../ports/sources.ts";
import type { Uses } from "../uses.ts";
import { recordFault } from "./faults.ts";
import { type Connection, connectionWrite, loadAllowedSources } from "./sources.ts";

/** The ports with which a source is connected. */
type SourcePorts = Uses<"objects" | "queues" | "rules" | "mappings" | "subscriptions" | "place" | "stack" | "receiveTimeoutS" | "nowMs">;

/** The name of a trigger's rule. Roles may change only rules with this prefix. */
const buildRuleName = (stack: string, id: string): string => `${buildTriggerRulePrefix(stack)}${hashName(id)}`;

/** Returns the reason for which a workspace cannot use a source, or `undefined` if it can. */
export async function findSourceFault(
  deps: Uses<"queues" | "rules" | "place" | "receiveTimeoutS">,
  { workspace, check }: CheckSource,
): Promise<string | undefined> {
  if (check.type === "rule") return deps.rules.findPatternFault(check.pattern);
  const parsedUrl = parseQueueUrl(check.url);
  if (!parsedUrl || (parsedUrl.region === undefined && !deps.place.isLocal)) return "it is not the URL of an SQS queue";
  return check.type === "queue" ? findQueueFault(deps, workspace, check.url) : undefined;
}

async function findQueueFault(
  deps: Uses<"queues" | "place" | "receiveTimeoutS">,
  workspace: string,
  url: string,
): Promise<string | undefined> {
  const { place, queues, receiveTimeoutS } = deps;
  const named = parseQueueUrl(url);
  // The tag proves that the workspace may read a queue, so the reply to a queue without it does not show whether the queue exists.
  const unproven = `there is no queue with this URL and the tag ${WORKSPACE_TAG}=${workspace} in account ${place.account} and region ${place.region}. Tag the queue, or name keys in aws_resource_path`;
  if (named?.account !== place.account || (named.region ?? place.region) !== place.region) return unproven;
  const facts = await queues.describeQueue(url);
  if (facts?.tags[WORKSPACE_TAG] !== workspace) return unproven;
  if (facts.visibilityTimeoutS < receiveTimeoutS) {
    return `the visibility timeout of the queue is ${facts.visibilityTimeoutS} s, and must be at least ${receiveTimeoutS} s`;
  }
  return undefined;
}

/** The maximum number of concurrent invocations for the messages of one queue of a user. */
const QUEUE_CONCURRENCY = 10;
/** The number of times that a source is read again because its triggers changed during the work. */
const TRIES = 3;

/**
 * Reconciles mappings, rules and subscriptions with the triggers of sources. Each step finds the existing state, so it may run twice or die in
 * between. A source that fails stays in the list of housekeeping. Returns the number of sources that failed, the queue of triggers included.
 */
export async function connectSources(
  deps: SourcePorts & Uses<"triggerQueueArn" | "triggerConcurrency" | "mailDomain">,
  { connections }: ConnectSources,
): Promise<number> {
  let failed = 0;
  for (const connection of connections) {
    try {
      await connectSource(deps, connection);
    } catch (error) {
      failed += 1;
      reportFailure("A source of triggers could not be connected", error, {
        workspace: connection.workspace,
        source: sourceName(connection.source),
      });
      await recordFaults(deps, connection, error instanceof Error ? error.message : String(error));
    }
  }
  try {
    await connectTriggerQueue(deps);
  } catch (error) {
    failed += 1;
    reportFailure("The queue of triggers could not be connected", error);
  }
  return failed;
}

/** Connects the queue of triggers once something may send to it. Until then Lambda does not poll it, which costs money also without messages. */
async function connectTriggerQueue({
  objects,
  mappings,
  triggerQueueArn,
  triggerConcurrency,
  mailDomain,
}: Uses<"objects" | "mappings" | "triggerQueueArn" | "triggerConcurrency" | "mailDomain">): Promise<void> {
  const isUsed = mailDomain !== undefined || Object.values(await loadAllowedSources(objects)).some((sources) => sources.length > 0);
  if (isUsed) await ensureMapping(mappings, triggerQueueArn, triggerConcurrency);
}

/** Creates the mapping of a queue, or changes the concurrency of the one that exists. Housekeeping repeats what Lambda cannot do yet. */
async function ensureMapping(mappings: EventSourceMappings, queueArn: string, concurrency: number): Promise<Mapping | undefined> {
  const found = await mappings.findMapping(queueArn);
  if (!found) await mappings.createMapping(queueArn, concurrency);
  else if (!found.isDeleting && found.maximumConcurrency !== concurrency) await mappings.updateMapping(found.id, concurrency);
  return found;
}

async function connectSource(deps: SourcePorts, connection: Connection): Promise<void> {
  const { objects } = deps;
  const key = connectionObject.key(connection.workspace, sourceName(connection.source));
  for (let tries = 0; tries < TRIES; tries += 1) {
    const pending = await objects.get(key);
    await applySource(deps, connection);
    if (!pending) return;
    // Another change of the trigger during the work has replaced the version: the source is read again.
    if ((await objects.transactWrite([write.remove(key, { version: pending.version ?? "" })])) === undefined) return;
  }
  await objects.transactWrite([connectionWrite(connection)]);
}

/** The triggers that need a source now. A fault is the reason for which a trigger that is enabled cannot use it. */
interface Need {
  ref: TriggerRef;
  trigger: StoredTrigger;
  fault: string | undefined;
}

async function applySource(deps: SourcePorts, { workspace, source }: Connection): Promise<void> {
  switch (source.type) {
    case "queue": {
      const [need] = await loadNeeds(deps, workspace, sourceName(source), ({ own }) =>
        findQueueFault(deps, workspace, (own as SqsFields).queue_url),
      );
      await applyQueue(deps, source.name, need !== undefined && need.fault === undefined);
      await recordNeeds(deps, need ? [need] : []);
      return;
    }
    case "topic": {
      const allowed = await loadAllowedSources(deps.objects);
      const all = new Set([workspace, ...findTopicWorkspaces(allowed, source.arn)]);
      const needs = await Promise.all(
        [...all].map((each) =>
          loadNeeds(deps, each, `${sourceName(source)}#`, async ({ own }) =>
            describeMissing(findMissingSource(own as AwsFields, allowed[each] ?? [])),
          ),
        ),
      );
      const isNeeded = needs.flat().some(({ fault }) => fault === undefined);
      await (isNeeded ? deps.subscriptions.subscribe(source.arn) : deps.subscriptions.unsubscribe(source.arn));
      await recordNeeds(deps, needs.flat());
      return;
    }
    default: {
      const name = buildRuleName(deps.stack, source.id);
      const allowed = (await loadAllowedSources(deps.objects))[workspace] ?? [];
      const [need] = await loadNeeds(deps, workspace, sourceName(source), async ({ own }) =>
        describeMissing(findMissingSource(own as AwsFields, allowed)),
      );
      if (need && need.fault === undefined) {
        const { own } = need.trigger;
        await deps.rules.putRule({
          name,
          bus: source.bus,
          pattern: buildEventPattern(own as AwsFields),
          input: buildRuleInput(workspace, sourceName(source)),
          tags: { [WORKSPACE_TAG]: workspace },
        });
      } else await deps.rules.deleteRule(name, source.bus);
      await recordNeeds(deps, need ? [need] : []);
    }
  }
}

const describeMissing = (missing: string | undefined) =>
  missing === undefined ? undefined : `The setting aws_trigger_sources no longer lists ${missing} for this workspace.`;

/** Loads the triggers of a source that are not disabled, in a workspace that is in use. */
async function loadNeeds(
  { objects }: Uses<"objects">,
  workspace: string,
  name: string,
  findFault: (trigger: StoredTrigger) => Promise<string | undefined>,
): Promise<Need[]> {
  if (!(await isInUse(objects, workspace))) return [];
  const entries = await objects.list(triggerSourceObject.partitionKey(workspace), { beginsWith: name });
  const exact = name.endsWith("#") ? entries : entries.filter(({ sk }) => sk === name);
  const refs = triggerSourceObject.parseReadable(exact);
  const found = await objects.batchGet(
    refs.map(({ kind, path }) => triggerObject.key(workspace, kind, path)),
    { consistent: true },
  );
  const needs = refs.map(async (ref, index): Promise<Need | undefined> => {
    const stored = found[index];
    const trigger = stored && triggerObject.parse(stored);
    if (!trigger || trigger.id !== ref.id || trigger.mode === "disabled") return undefined;
    return { ref, trigger, fault: await findFault(trigger) };
  });
  return (await Promise.all(needs)).filter((need) => need !== undefined);
}

async function isInUse(objects: ObjectStore, workspace: string): Promise<boolean> {
  const [stored, access] = await objects.batchGet([workspaceObject.key(workspace), accessObject.key(workspace)], { consistent: true });
  if (!stored || workspaceObject.parse(stored).deleted) return false;
  return !access || accessObject.parse(access).state === undefined;
}

async function applyQueue({ place, mappings }: Uses<"place" | "mappings">, name: string, isNeeded: boolean): Promise<void> {
  const arn = `${place.queueArnPrefix}${name}`;
  if (!isNeeded) {
    const found = await mappings.findMapping(arn);
    if (found && !found.isDeleting) await mappings.deleteMapping(found.id);
    return;
  }
  const found = await ensureMapping(mappings, arn, QUEUE_CONCURRENCY);
  // Lambda deletes a mapping within a minute, and housekeeping repeats the check.
  if (found?.isDeleting)
    throw new Error("The earlier connection to this queue is still being removed. It is connected within a few minutes.");
}

async function recordNeeds(deps: Uses<"objects" | "nowMs">, needs: readonly Need[]): Promise<void> {
  for (const { ref, fault } of needs) await recordFault(deps, ref.workspace, ref.id, fault);
}

/** A source that fails makes its triggers in this workspace show the failure. */
async function recordFaults(deps: Uses<"objects" | "nowMs">, { workspace, source }: Connection, message: string): Promise<void> {
  const name = sourceName(source);
  const entries = await deps.objects.list(triggerSourceObject.partitionKey(workspace), { beginsWith: name });
  for (const { id } of triggerSourceObject.parseReadable(entries)) await recordFault(deps, workspace, id, message);
}
