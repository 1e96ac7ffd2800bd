import {
  DeleteFunctionConcurrencyCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  paginateListEventSourceMappings,
  UpdateEventSourceMappingCommand,
} from "@aws-sdk/client-lambda";
import { Complaint } from "../../launch/complaint.mjs";
import { clientConfig, parsed } from "../aws-cli.ts";
import { whileInUse } from "../mapping-changes.ts";
import { findWriters, type StackTemplate, type Writer } from "./writers.ts";

interface Summary {
  LogicalResourceId: string;
  PhysicalResourceId?: string;
  ResourceType: string;
}

/** A function that can write to a table, in the account. */
export interface DeployedWriter extends Writer {
  functionName: string;
}

const client = new LambdaClient(clientConfig());

/** Reads the functions of a stack and of its nested stacks that can write to a table. Throws a complaint if there are none. */
export async function readWriters(stack: string): Promise<DeployedWriter[]> {
  const writers = await readWritersBelow(stack);
  if (writers.length === 0) throw new Complaint(`The stack ${stack} has no function that can write to a table.`);
  return writers;
}

async function readWritersBelow(stack: string): Promise<DeployedWriter[]> {
  const { StackResourceSummaries: resources } = await parsed<{ StackResourceSummaries: Summary[] }>(
    ...["cloudformation", "list-stack-resources", "--stack-name", stack],
  );
  const { TemplateBody: template } = await parsed<{ TemplateBody: StackTemplate }>(
    ...["cloudformation", "get-template", "--stack-name", stack, "--template-stage", "Processed"],
  );
  const nameOf = new Map(resources.map(({ LogicalResourceId: id, PhysicalResourceId: name }) => [id, name]));
  const writers = findWriters(template).flatMap((writer) => {
    const functionName = nameOf.get(writer.logicalId);
    return functionName === undefined ? [] : [{ ...writer, functionName }];
  });
  const nested = resources.flatMap(({ ResourceType, PhysicalResourceId: id }) =>
    ResourceType === "AWS::CloudFormation::Stack" && id ? [id] : [],
  );
  const below: DeployedWriter[] = [];
  for (const id of nested) below.push(...(await readWritersBelow(id)));
  return [...writers, ...below];
}

/** Stops a function. Its sources stop first: Lambda would receive their messages, fail to deliver them and discard them after some attempts. */
export async function pauseWriter({ functionName }: DeployedWriter): Promise<void> {
  await switchSources(functionName, false);
  await client.send(new PutFunctionConcurrencyCommand({ FunctionName: functionName, ReservedConcurrentExecutions: 0 }));
}

/** Lets a function run again with the reservation of its template. Its sources start last. */
export async function resumeWriter({ functionName, reserved }: DeployedWriter): Promise<void> {
  if (reserved === undefined) await client.send(new DeleteFunctionConcurrencyCommand({ FunctionName: functionName }));
  else await client.send(new PutFunctionConcurrencyCommand({ FunctionName: functionName, ReservedConcurrentExecutions: reserved }));
  await switchSources(functionName, true);
}

/** Enables or disables all event sources of a function, also those that triggers of users created, which no template names. */
async function switchSources(functionName: string, enabled: boolean): Promise<void> {
  for await (const { EventSourceMappings: mappings = [] } of paginateListEventSourceMappings({ client }, { FunctionName: functionName })) {
    for (const { UUID: id, State: state = "" } of mappings) {
      if (id && state !== "Deleting" && state !== (enabled ? "Enabled" : "Disabled"))
        await whileInUse(() => client.send(new UpdateEventSourceMappingCommand({ UUID: id, Enabled: enabled })));
    }
  }
}
