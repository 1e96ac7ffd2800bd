import { randomUUID } from "node:crypto";
import {
  CreateEventBusCommand,
  DescribeRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from "@aws-sdk/client-eventbridge";
import { CreateEventSourceMappingCommand, GetEventSourceMappingCommand } from "@aws-sdk/client-lambda";
import { CreateStateMachineCommand, DescribeStateMachineCommand } from "@aws-sdk/client-sfn";
import { CreateTopicCommand, GetSubscriptionAttributesCommand, SNSClient, SubscribeCommand } from "@aws-sdk/client-sns";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { buildTriggerRulePrefix } from "../../../contract/deployment/stack-names.ts";
import type { RunTimeKindName } from "../../../engine/commands/destroy/run-time-kinds.ts";
import { engineCredentials } from "../../../engine/engine/child-env.ts";
import { buildMachineName, buildMachineTags } from "../../../statemachines/machine-name.ts";
import { shared } from "../api/api.ts";
import { awsClients } from "./aws.ts";

/** The function and the queue of a stack to which run-time resources refer. */
export const sourcesTemplate = (stack: string) => ({
  Receive: {
    Type: "AWS::Lambda::Function",
    Properties: {
      ...{ FunctionName: `${stack}-receive`, Runtime: "nodejs24.x", Handler: "index.handler" },
      Code: { ZipFile: "exports.handler = async () => {};" },
      Role: "arn:aws:iam::000000000000:role/any",
    },
  },
  Triggers: { Type: "AWS::SQS::Queue", Properties: { QueueName: `${stack}-triggers` } },
});

interface Case {
  create(stack: string): Promise<string>;
  /** Throws an error if there is none. */
  read(id: string): Promise<unknown>;
}

const clients = () => {
  const config = {
    endpoint: shared().endpoint,
    region: engineCredentials.AWS_REGION,
    credentials: { accessKeyId: engineCredentials.AWS_ACCESS_KEY_ID, secretAccessKey: engineCredentials.AWS_SECRET_ACCESS_KEY },
  };
  return { ...awsClients(), sns: new SNSClient(config), events: new EventBridgeClient(config) };
};
const queueArn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;

/** One resource of each kind that functions of a stack create at run time. */
const cases: Record<RunTimeKindName, Case> = {
  machines: {
    async create(stack) {
      const definition = { StartAt: "End", States: { End: { Type: "Succeed" as const } } };
      const made = await clients().sfn.send(
        new CreateStateMachineCommand({
          name: buildMachineName({ stack, workspace: "t", path: "f/t/flow" }, definition),
          definition: JSON.stringify(definition),
          roleArn: "arn:aws:iam::000000000000:role/any",
          tags: Object.entries(buildMachineTags(stack, "t")).map(([key, value]) => ({ key, value })),
        }),
      );
      return made.stateMachineArn ?? "";
    },
    read: (stateMachineArn) => clients().sfn.send(new DescribeStateMachineCommand({ stateMachineArn })),
  },
  mappings: {
    async create(stack) {
      const name = `${stack}-of-a-user`;
      await clients().sqs.send(new CreateQueueCommand({ QueueName: name }));
      const made = await clients().lambda.send(
        new CreateEventSourceMappingCommand({ FunctionName: `${stack}-receive`, EventSourceArn: queueArn(name) }),
      );
      return made.UUID ?? "";
    },
    read: (UUID) => clients().lambda.send(new GetEventSourceMappingCommand({ UUID })),
  },
  subscriptions: {
    async create(stack) {
      const { TopicArn } = await clients().sns.send(new CreateTopicCommand({ Name: `${stack}-of-a-user` }));
      const made = await clients().sns.send(
        new SubscribeCommand({ TopicArn, Protocol: "sqs", Endpoint: queueArn(`${stack}-triggers`), ReturnSubscriptionArn: true }),
      );
      return made.SubscriptionArn ?? "";
    },
    read: (SubscriptionArn) => clients().sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn })),
  },
  rules: {
    async create(stack) {
      const EventBusName = `bus-${randomUUID()}`;
      const Name = `${buildTriggerRulePrefix(stack)}1`;
      await clients().events.send(new CreateEventBusCommand({ Name: EventBusName }));
      await clients().events.send(new PutRuleCommand({ Name, EventBusName, EventPattern: JSON.stringify({ source: ["shop"] }) }));
      await clients().events.send(
        new PutTargetsCommand({ Rule: Name, EventBusName, Targets: [{ Id: "receive", Arn: queueArn(`${stack}-triggers`) }] }),
      );
      return `${EventBusName}/${Name}`;
    },
    read(id) {
      const [EventBusName, Name] = id.split("/");
      return clients().events.send(new DescribeRuleCommand({ Name, EventBusName }));
    },
  },
};

type Created = Record<RunTimeKindName, string>;

export async function createAll(stack: string): Promise<Created> {
  const ids = Object.entries(cases).map(async ([kind, { create }]) => [kind, await create(stack)] as const);
  return Object.fromEntries(await Promise.all(ids)) as Created;
}

/** Returns the kinds of which the resource still exists. */
export async function findLeft(created: Created): Promise<string[]> {
  const read = Object.entries(cases).map(([kind, { read }]) =>
    read(created[kind as RunTimeKindName]).then(
      () => [kind],
      () => [],
    ),
  );
  return (await Promise.all(read)).flat();
}
