import {
  DeleteRuleCommand,
  EventBridgeClient,
  InvalidEventPatternException,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  ResourceNotFoundException,
  TestEventPatternCommand,
} from "@aws-sdk/client-eventbridge";
import { env, requireEnv } from "../../contract/env.ts";
import type { EventRules } from "../../ports/sources.ts";
import { countRequests } from "../sdk/request-counts.ts";

let cachedClient: EventBridgeClient | undefined;
function eventBridge(): EventBridgeClient {
  cachedClient ??= countRequests(new EventBridgeClient({}));
  return cachedClient;
}

const TARGET = "receive";
/** Any event: only whether the pattern is valid matters. */
const SAMPLE = JSON.stringify({
  id: "1",
  source: "svc",
  "detail-type": "svc",
  account: "123456789012",
  time: "2026-01-01T00:00:00Z",
  region: "us-east-1",
  resources: [],
  detail: {},
});

/** The rules that send events to the queue of triggers. */
export const eventRules = {
  /** Returns why EventBridge refuses an event pattern, or `undefined` if it accepts it. */
  async findPatternFault(pattern: string): Promise<string | undefined> {
    try {
      await eventBridge().send(new TestEventPatternCommand({ EventPattern: pattern, Event: SAMPLE }));
      return undefined;
    } catch (error) {
      if (error instanceof InvalidEventPatternException) return error.message;
      throw error;
    }
  },
  /** Creates or replaces a rule whose events arrive as `input` describes. */
  async putRule(rule: { name: string; bus: string; pattern: string; input: string; tags: Record<string, string> }): Promise<void> {
    const { name, bus, pattern, input, tags } = rule;
    const ruleFields = { Name: name, EventBusName: bus, EventPattern: pattern, Description: "svc: a trigger" };
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    await eventBridge().send(new PutRuleCommand({ ...ruleFields, State: "ENABLED", Tags }));
    const { FailedEntries = [] } = await eventBridge().send(
      new PutTargetsCommand({
        Rule: name,
        EventBusName: bus,
        Targets: [{ Id: TARGET, Arn: requireEnv(env.triggerQueueArn), InputTransformer: { InputTemplate: input } }],
      }),
    );
    if (FailedEntries[0]) throw new Error(`EventBridge refused the target of a rule: ${FailedEntries[0].ErrorMessage}`);
  },
  /** Deletes a rule with its target, unless it is gone. */
  async deleteRule(name: string, bus: string): Promise<void> {
    try {
      await eventBridge().send(new RemoveTargetsCommand({ Rule: name, EventBusName: bus, Ids: [TARGET] }));
      await eventBridge().send(new DeleteRuleCommand({ Name: name, EventBusName: bus }));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  },
} satisfies EventRules;
