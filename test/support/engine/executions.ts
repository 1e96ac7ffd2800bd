import { randomUUID } from "node:crypto";
import { paginateListFunctions } from "@aws-sdk/client-lambda";
import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  DescribeExecutionCommand,
  DescribeStateMachineCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  paginateListStateMachines,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import { invokeFunction } from "../../../engine/seed/admin.ts";
import { shared } from "../api/api.ts";
import { awsClients } from "./aws.ts";

interface Reachable {
  endpoint: string;
}

export interface Execution {
  arn: string;
  machine: string;
  name: string;
  status: string;
}

/** Lists the executions of a workspace's flows whose names contain a text, such as a job's id. */
export async function executionsOf(workspace: string, name: string, instance: Reachable = shared()): Promise<Execution[]> {
  const { sfn } = awsClients(instance);
  const found: Execution[] = [];
  for await (const { stateMachines = [] } of paginateListStateMachines({ client: sfn }, {})) {
    for (const machine of stateMachines) {
      if (!machine.name?.startsWith(`svc-${workspace}-`)) continue;
      const { executions = [] } = await sfn.send(new ListExecutionsCommand({ stateMachineArn: machine.stateMachineArn }));
      found.push(
        ...executions.map((one) => ({
          arn: one.executionArn ?? "",
          machine: machine.stateMachineArn ?? "",
          name: one.name ?? "",
          status: one.status ?? "",
        })),
      );
    }
  }
  return found.filter((execution) => execution.name.includes(name));
}

/** The last event of an execution. */
export async function lastEvents({ arn, name }: Execution, instance: Reachable = shared()): Promise<object> {
  const { sfn } = awsClients(instance);
  const { events = [] } = await sfn.send(new GetExecutionHistoryCommand({ executionArn: arn, reverseOrder: true, maxResults: 5 }));
  const said = events.map(({ type, timestamp, stateEnteredEventDetails: entered }) => [type, entered?.name, timestamp?.toISOString()]);
  return { name, said };
}

/** Starts an execution's machine again under another name, with its input and the given changes. */
export async function startAgain(
  { arn, machine }: Execution,
  name: string,
  change: object = {},
  instance: Reachable = shared(),
): Promise<void> {
  const { sfn } = awsClients(instance);
  const { input = "{}" } = await sfn.send(new DescribeExecutionCommand({ executionArn: arn }));
  const changed = JSON.stringify({ ...(JSON.parse(input) as object), ...change });
  await sfn.send(new StartExecutionCommand({ stateMachineArn: machine, name, input: changed }));
}

/** Sends an execution's status to function `settle`, as EventBridge does. */
export async function tellStatus(name: string, status: string, instance: Reachable = shared()): Promise<void> {
  const { lambda } = awsClients(instance);
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
    const settle = Functions.find(({ FunctionName = "" }) => /Settle/.test(FunctionName));
    if (settle?.FunctionName) return void (await invokeFunction(instance.endpoint, settle.FunctionName, { detail: { name, status } }));
  }
  throw new Error("The stack has no function settle.");
}

/** Runs the waiting state of a machine as a separate machine, waits for its end, and deletes it. */
export async function heldAs(
  machine: string,
  input: object,
  { endpoint }: Reachable = shared(),
): Promise<() => Promise<string | undefined>> {
  const { sfn } = awsClients({ endpoint });
  const { definition = "{}", roleArn } = await sfn.send(new DescribeStateMachineCommand({ stateMachineArn: machine }));
  const { States } = JSON.parse(definition) as { States: Record<string, { Resource?: string }> };
  const [name, state] = Object.entries(States).find(([, { Resource }]) => Resource?.endsWith(".waitForTaskToken")) ?? [];
  if (!name || !state) throw new Error(`No state of ${machine} waits for a token.`);
  const one = { StartAt: name, States: { [name]: { ...state, Next: "end", Catch: undefined }, end: { Type: "Succeed" } } };
  const { stateMachineArn } = await sfn.send(
    new CreateStateMachineCommand({ name: `held-${randomUUID()}`, definition: JSON.stringify(one), roleArn }),
  );
  const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) }));
  return async () => {
    const { status } = await sfn.send(new DescribeExecutionCommand({ executionArn }));
    if (status === "RUNNING") return undefined;
    await sfn.send(new DeleteStateMachineCommand({ stateMachineArn }));
    return status;
  };
}
