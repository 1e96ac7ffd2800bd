import type { TriggerCountsJson } from "../../contract/routes/stored/script.ts";
import { type TriggerKind, triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import type { UsedTriggersJson } from "../../contract/routes/workspaces/settings.ts";
import { triggerObject } from "../../core/triggers/trigger.ts";
import type { Uses } from "../uses.ts";

/** Counts the triggers of each kind that start a script or a flow. */
export async function countTriggers(
  { objects }: Uses<"objects">,
  workspace: string,
  { path, isFlow }: { path: string; isFlow: boolean },
): Promise<Record<TriggerKind, number>> {
  const counts = await Promise.all(
    triggerKinds.map(async (kind) => {
      const stored = triggerObject.parseReadable(await objects.list(triggerObject.partitionKey(workspace, kind)));
      return [kind, stored.filter((trigger) => trigger.scriptPath === path && trigger.isFlow === isFlow).length] as const;
    }),
  );
  return Object.fromEntries(counts) as Record<TriggerKind, number>;
}

/** Returns the counts in the form of api.md §3.1. Kinds that this service does not have count nothing. Topics, buses and buckets have no field there. */
export const toTriggerCountsJson = (
  { http, sqs, email }: Record<TriggerKind, number>,
  { webhooks, schedules }: { webhooks: number; schedules: number },
): TriggerCountsJson => ({
  schedule_count: schedules,
  http_routes_count: http,
  webhook_count: webhooks,
  email_count: email,
  default_email_count: 0,
  websocket_count: 0,
  postgres_count: 0,
  kafka_count: 0,
  nats_count: 0,
  mqtt_count: 0,
  amqp_count: 0,
  sqs_count: sqs,
  gcp_count: 0,
  azure_count: 0,
});

/** Returns which kinds of triggers a workspace has. */
export async function findUsedTriggers({ objects }: Uses<"objects">, workspace: string): Promise<UsedTriggersJson> {
  const isUsed = async (kind: TriggerKind) => (await objects.list(triggerObject.partitionKey(workspace, kind), { limit: 1 })).length > 0;
  const [http, sqs, aws, email] = await Promise.all((["http", "sqs", "aws", "email"] as const).map(isUsed));
  return {
    http_routes_used: http === true,
    sqs_used: sqs === true,
    aws_used: aws === true,
    email_used: email === true,
    websocket_used: false,
    kafka_used: false,
    nats_used: false,
    postgres_used: false,
    mqtt_used: false,
    amqp_used: false,
    gcp_used: false,
    azure_used: false,
  };
}
