import {
  DeleteRuleCommand,
  EventBridgeClient,
  ListEventBusesCommand,
  type ListEventBusesCommandOutput,
  ListRulesCommand,
  type ListRulesCommandOutput,
  ListTargetsByRuleCommand,
  RemoveTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import { DeleteEventSourceMappingCommand, LambdaClient, paginateListEventSourceMappings } from "@aws-sdk/client-lambda";
import { DeleteStateMachineCommand, ListTagsForResourceCommand, paginateListStateMachines, SFNClient } from "@aws-sdk/client-sfn";
import { paginateListSubscriptions, SNSClient, UnsubscribeCommand } from "@aws-sdk/client-sns";
import pMap from "p-map";
import { buildMachinePrefix, buildTriggerRulePrefix } from "../../../contract/deployment/stack-names.ts";
import { clientConfig } from "../aws-cli.ts";
import { whileInUse } from "../mapping-changes.ts";
import type { StackParts } from "./stack-parts.ts";

// The SDK, because an account can have a thousand machines and each call of the AWS CLI starts a program. It uses the same credentials.
const stepFunctions = new SFNClient(clientConfig());
const lambda = new LambdaClient(clientConfig());
const sns = new SNSClient(clientConfig());
const eventBridge = new EventBridgeClient(clientConfig());

/** All state machines carry this tag with the name of their stack. */
const MACHINE_TAG = "svc";
/** AWS accepts only a few requests a second, and the client retries the refused ones. */
const AT_ONCE = 4;

/** A kind of resources that functions create at run time, so that CloudFormation does not remove them with the stack. */
export interface RunTimeKind {
  /** The plural in the output of the command. */
  title: string;
  /** Lists what the functions of a stack created, also if the stack is deleted. */
  list(stack: StackParts): Promise<string[]>;
  /** Removes one of them. Idempotent. */
  remove(id: string): Promise<void>;
}

export const runTimeKinds = {
  machines: {
    title: "state machines",
    async list({ name: stack }) {
      const candidates: string[] = [];
      for await (const { stateMachines = [] } of paginateListStateMachines({ client: stepFunctions }, {})) {
        for (const { name, stateMachineArn } of stateMachines) {
          if (name?.startsWith(buildMachinePrefix(stack)) && stateMachineArn) candidates.push(stateMachineArn);
        }
      }
      const machineArns: string[] = [];
      const addOwn = (resourceArn: string) =>
        unlessMissing(async () => {
          const { tags = [] } = await stepFunctions.send(new ListTagsForResourceCommand({ resourceArn }));
          if (tags.some(({ key, value }) => key === MACHINE_TAG && value === stack)) machineArns.push(resourceArn);
        });
      await pMap(candidates, addOwn, { concurrency: AT_ONCE });
      return machineArns;
    },
    async remove(stateMachineArn) {
      await stepFunctions.send(new DeleteStateMachineCommand({ stateMachineArn }));
    },
  },
  mappings: {
    title: "event source mappings",
    async list({ functions, resources }) {
      const mappingIds: string[] = [];
      // Lambda cannot list by the name of a deleted function.
      for await (const { EventSourceMappings: mappings = [] } of paginateListEventSourceMappings({ client: lambda }, {})) {
        for (const { UUID: id, FunctionArn: arn, State: state } of mappings) {
          const functionName = arn?.split(":")[6] ?? "";
          if (id && functions.has(functionName) && !resources.has(id) && state !== "Deleting") mappingIds.push(id);
        }
      }
      return mappingIds;
    },
    async remove(id) {
      await unlessMissing(() => whileInUse(() => lambda.send(new DeleteEventSourceMappingCommand({ UUID: id }))));
    },
  },
  subscriptions: {
    title: "subscriptions of topics",
    async list({ queueArns, resources }) {
      const subscriptionArns: string[] = [];
      for await (const { Subscriptions: subscriptions = [] } of paginateListSubscriptions({ client: sns }, {})) {
        for (const { SubscriptionArn: arn, Endpoint: endpoint = "" } of subscriptions)
          if (arn?.startsWith("arn:") && queueArns.has(endpoint) && !resources.has(arn)) subscriptionArns.push(arn);
      }
      return subscriptionArns;
    },
    async remove(SubscriptionArn) {
      await unlessMissing(() => sns.send(new UnsubscribeCommand({ SubscriptionArn })));
    },
  },
  rules: {
    title: "event rules of triggers",
    async list({ name, queueArns }) {
      const ruleIds: string[] = [];
      for (const bus of await listBuses()) {
        for (const rule of await listRules(bus, buildTriggerRulePrefix(name))) {
          const { Targets: targets = [] } = await eventBridge.send(new ListTargetsByRuleCommand({ Rule: rule, EventBusName: bus }));
          // An interrupted call leaves a rule without targets.
          if (targets.every(({ Arn }) => queueArns.has(Arn ?? ""))) ruleIds.push(`${bus}/${rule}`);
        }
      }
      return ruleIds;
    },
    async remove(id) {
      const at = id.lastIndexOf("/");
      const busParameter = { EventBusName: id.slice(0, at) };
      const Rule = id.slice(at + 1);
      await unlessMissing(async () => {
        const { Targets: targets = [] } = await eventBridge.send(new ListTargetsByRuleCommand({ ...busParameter, Rule }));
        const Ids = targets.flatMap(({ Id }) => (Id ? [Id] : []));
        if (Ids.length > 0) await eventBridge.send(new RemoveTargetsCommand({ ...busParameter, Rule, Ids }));
        await eventBridge.send(new DeleteRuleCommand({ ...busParameter, Name: Rule }));
      });
    },
  },
} as const satisfies Record<string, RunTimeKind>;
export type RunTimeKindName = keyof typeof runTimeKinds;

/** Removes what functions of a stack created at run time. Returns the number of resources. */
export async function removeAll(kind: RunTimeKind, stack: StackParts): Promise<number> {
  const ids = await kind.list(stack);
  await pMap(ids, (id) => kind.remove(id), { concurrency: AT_ONCE });
  return ids.length;
}

async function listBuses(): Promise<string[]> {
  const names: string[] = [];
  for (let NextToken: string | undefined; ; ) {
    const page: ListEventBusesCommandOutput = await eventBridge.send(new ListEventBusesCommand({ ...(NextToken ? { NextToken } : {}) }));
    names.push(...(page.EventBuses ?? []).flatMap(({ Name }) => (Name ? [Name] : [])));
    NextToken = page.NextToken;
    if (NextToken === undefined) return names;
  }
}

async function listRules(bus: string, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for (let NextToken: string | undefined; ; ) {
    const command = new ListRulesCommand({ EventBusName: bus, NamePrefix: prefix, ...(NextToken ? { NextToken } : {}) });
    const page: ListRulesCommandOutput = await eventBridge.send(command);
    names.push(...(page.Rules ?? []).flatMap(({ Name }) => (Name ? [Name] : [])));
    NextToken = page.NextToken;
    if (NextToken === undefined) return names;
  }
}

/** Another person may have removed the resource after the list was read. */
async function unlessMissing(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error && /^(ResourceNotFound|NotFound)(Exception)?$/.test(error.name))) throw error;
  }
}
