import { paginateListFunctions } from "@aws-sdk/client-lambda";
import { DescribeExecutionCommand, ListExecutionsCommand, paginateListStateMachines, StartExecutionCommand } from "@aws-sdk/client-sfn";
import { invokeFunction } from "../../../engine/seed/admin.ts";
import { shared } from "../api/api.ts";
import { awsClients } from "./aws.ts";

interface Reachable {
  endpoint: string;
  statesEndpoint?: string | undefined;
}

export interface Execution {
  arn: string;
  machine: string;
  name: string;
  status: string;
}

/** The executions of a workspace's flows whose names contain this text, such as a job's id. */
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

/** Starts an execution's machine again with its input, under another name. */
export async function startAgain({ arn, machine }: Execution, name: string, instance: Reachable = shared()): Promise<void> {
  const { sfn } = awsClients(instance);
  const { input = "{}" } = await sfn.send(new DescribeExecutionCommand({ executionArn: arn }));
  await sfn.send(new StartExecutionCommand({ stateMachineArn: machine, name, input }));
}

/** Sends the status of an execution to function `settle`, as EventBridge does. */
export async function sendStatus(name: string, status: string, instance: Reachable = shared()): Promise<void> {
  const { lambda } = awsClients(instance);
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
    const settle = Functions.find(({ FunctionName = "" }) => /Settle/.test(FunctionName));
    if (settle?.FunctionName) return void (await invokeFunction(instance.endpoint, settle.FunctionName, { detail: { name, status } }));
  }
  throw new Error("The stack has no function settle.");
}
