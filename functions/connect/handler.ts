import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { eventRules } from "../../aws/eventbridge/rules.ts";
import { eventSourceMappings } from "../../aws/lambda/event-source-mappings.ts";
import { subscriptions } from "../../aws/sns/subscriptions.ts";
import { sourceQueues } from "../../aws/sqs/source-queues.ts";
import { RECEIVE_TIMEOUT_S } from "../../contract/deployment/stack-names.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { connectCallSchema } from "../../core/triggers/connect-call.ts";
import { connectSources, findSourceFault } from "../../services/triggers/connect.ts";
import { triggerPlace } from "../shared/edge/trigger-place.ts";
import { observeHandler } from "../shared/observe.ts";

const deps = {
  objects: objectTable,
  queues: sourceQueues,
  mappings: eventSourceMappings,
  rules: eventRules,
  subscriptions,
  place: triggerPlace(),
  triggerQueueArn: requireEnv(env.triggerQueueArn),
  triggerConcurrency: Number(requireEnv(env.triggerConcurrency)),
  mailDomain: process.env[env.mailDomain] || undefined,
  stack: requireEnv(env.stack),
  receiveTimeoutS: RECEIVE_TIMEOUT_S,
  nowMs: Date.now,
};

async function connect(event: unknown): Promise<{ reason?: string | undefined; failed?: number }> {
  const call = connectCallSchema.parse(event);
  return "check" in call ? { reason: await findSourceFault(deps, call) } : { failed: await connectSources(deps, call) };
}

/** Creates event source mappings, rules and subscriptions. No other function has these rights. */
export const handler = observeHandler("connect", connect, (answer) => answer);
