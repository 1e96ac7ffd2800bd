import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { DeleteStateMachineCommand, ListTagsForResourceCommand, paginateListStateMachines, SFNClient } from "@aws-sdk/client-sfn";
import { buildMachinePrefix } from "../../contract/stack-names.ts";
import { Complaint, explain } from "../launch/complaint.mjs";
import { inPhase } from "../launch/progress.mjs";
import { lastLines, runCommand } from "./command.ts";

const USAGE = "npm run aws:destroy -- [--stack svc] [--delete-data] [--force]";
/** All state machines carry this tag with the name of their stack. */
const MACHINE_TAG = "svc";
/** Step Functions refuses more requests than a few each second, and the client repeats the refused ones. */
const MACHINES_AT_ONCE = 4;
const STACK_POLL_MS = 2_000;

/** Resources that remain when a stack is deleted, because they cannot be created again. */
const dataTypes = [
  "AWS::DynamoDB::Table",
  "AWS::S3::Bucket",
  "AWS::Cognito::UserPool",
  "AWS::SecretsManager::Secret",
  "AWS::KMS::Key",
] as const;
type DataType = (typeof dataTypes)[number];

interface Resource {
  ResourceType: string;
  PhysicalResourceId?: string;
  ResourceStatus: string;
}
interface StackRecord {
  StackId: string;
  StackStatus: string;
  StackStatusReason?: string;
}
interface Data {
  type: DataType;
  id: string;
}

/** The AWS CLI: deploying has used the person's own sign-in through it already. */
async function aws(...args: string[]): Promise<string> {
  const env = { AWS_RETRY_MODE: "standard", AWS_MAX_ATTEMPTS: "5", ...process.env, AWS_PAGER: "" };
  const { code, output } = await runCommand("aws", [...args, "--output", "json"], { env });
  if (code === -1) throw new Complaint("aws was not found: install the AWS CLI and sign in to the account.");
  if (code !== 0) throw new Complaint(`aws ${args.slice(0, 2).join(" ")} failed.\n${lastLines(output)}`);
  return output;
}

const parsed = async <T>(...args: string[]): Promise<T> => JSON.parse((await aws(...args)) || "{}") as T;

/** The SDK, because an account can have a thousand machines and each call of the CLI starts a program. It finds the same sign-in. */
const stepFunctions = () => new SFNClient({ maxAttempts: 10 });

async function eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const next = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: MACHINES_AT_ONCE }, next));
}

/** Addresses of the stack's own state machines. */
async function machinesOf(stack: string): Promise<string[]> {
  const client = stepFunctions();
  const candidates: string[] = [];
  for await (const { stateMachines = [] } of paginateListStateMachines({ client }, {})) {
    for (const { name, stateMachineArn } of stateMachines) {
      if (name?.startsWith(buildMachinePrefix(stack)) && stateMachineArn) candidates.push(stateMachineArn);
    }
  }
  const own: string[] = [];
  await eachAtOnce(candidates, async (resourceArn) => {
    const { tags = [] } = await client.send(new ListTagsForResourceCommand({ resourceArn }));
    if (tags.some(({ key, value }) => key === MACHINE_TAG && value === stack)) own.push(resourceArn);
  });
  return own;
}

async function deleteMachines(machines: readonly string[]): Promise<void> {
  const client = stepFunctions();
  await eachAtOnce(machines, async (stateMachineArn) => {
    await client.send(new DeleteStateMachineCommand({ stateMachineArn }));
  });
}

/** Waits for the end of the stack by its ARN, because its name is invalid after the deletion. The CLI polls only every 30 s. */
async function deleteStack(stack: string): Promise<void> {
  const describe = (name: string) => parsed<{ Stacks: StackRecord[] }>("cloudformation", "describe-stacks", "--stack-name", name);
  const { StackId: id } = (await describe(stack)).Stacks[0] ?? {};
  if (!id) throw new Complaint(`CloudFormation does not describe the stack ${stack}.`);
  await aws("cloudformation", "delete-stack", "--stack-name", id);
  for (;;) {
    const { StackStatus: status, StackStatusReason: reason = "" } = (await describe(id)).Stacks[0] ?? {};
    if (status === "DELETE_COMPLETE") return;
    if (status?.endsWith("_FAILED"))
      throw new Complaint(`CloudFormation could not delete the stack ${stack} (${status}). ${reason}`.trim());
    await sleep(STACK_POLL_MS);
  }
}

function dataIn(resources: readonly Resource[]): Data[] {
  return resources.flatMap(({ ResourceType, PhysicalResourceId: id, ResourceStatus }) => {
    const type = dataTypes.find((known) => known === ResourceType);
    return type && id && ResourceStatus !== "DELETE_COMPLETE" ? [{ type, id }] : [];
  });
}

async function deleteData({ type, id }: Data): Promise<void> {
  switch (type) {
    case "AWS::DynamoDB::Table":
      await aws("dynamodb", "update-table", "--table-name", id, "--no-deletion-protection-enabled");
      await aws("dynamodb", "delete-table", "--table-name", id);
      return;
    case "AWS::S3::Bucket":
      await aws("s3", "rm", `s3://${id}`, "--recursive", "--only-show-errors");
      await aws("s3api", "delete-bucket", "--bucket", id);
      return;
    case "AWS::Cognito::UserPool":
      await aws("cognito-idp", "update-user-pool", "--user-pool-id", id, "--deletion-protection", "INACTIVE");
      await aws("cognito-idp", "delete-user-pool", "--user-pool-id", id);
      return;
    case "AWS::SecretsManager::Secret":
      await aws("secretsmanager", "delete-secret", "--secret-id", id, "--force-delete-without-recovery");
      return;
    case "AWS::KMS::Key":
      // AWS deletes no key at once: for a week it can be called back, and costs nothing.
      await aws("kms", "schedule-key-deletion", "--key-id", id, "--pending-window-in-days", "7");
      return;
    default: {
      const never: never = type;
      throw new Error(`There is no rule to delete ${never}`);
    }
  }
}

/** The user confirms by typing the name of the stack. Without a terminal, `--force` is required. */
async function consent(stack: string, force: boolean): Promise<void> {
  if (force) return;
  if (!process.stdin.isTTY) throw new Complaint("There is no terminal for the confirmation. Pass --force to delete without it.");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Type the name of the stack, ${stack}, to continue: `);
  terminal.close();
  if (answer.trim() !== stack) throw new Complaint("This is not the name of the stack. Nothing was deleted.");
}

async function main(): Promise<void> {
  const { stack, "delete-data": withData, force } = options();
  const { Account: account } = await parsed<{ Account: string }>("sts", "get-caller-identity");
  const { StackResources: resources } = await parsed<{ StackResources: Resource[] }>(
    "cloudformation",
    "describe-stack-resources",
    "--stack-name",
    stack,
  );
  if (resources.length === 0) throw new Complaint(`Account ${account} has no stack ${stack} in this region.`);
  const machines = await machinesOf(stack);
  const data = dataIn(resources);

  const say = (line: string) => process.stderr.write(`${line}\n`);
  say(`Account ${account}: the stack ${stack} with ${resources.length} resources, and ${machines.length} state machines, will be deleted.`);
  say(withData ? "Its data will also be deleted permanently:" : "Its data will remain; --delete-data deletes it permanently:");
  for (const { type, id } of data) say(`  ${type.replace(/^AWS::/, "").padEnd(24)} ${id}`);
  await consent(stack, force);

  // State machines are deleted before the stack, because running executions use the stack's roles.
  await inPhase("machines", `${machines.length} state machines`, () => deleteMachines(machines));
  await inPhase("stack", `${stack} (CloudFront takes some minutes)`, () => deleteStack(stack));
  if (!withData) return;
  await inPhase("data", `${data.length} stores`, async () => {
    for (const store of data) await deleteData(store);
  });
}

function options() {
  try {
    return parseArgs({
      options: {
        stack: { type: "string", default: "svc" },
        "delete-data": { type: "boolean", default: false },
        force: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new Complaint(`${error instanceof Error ? error.message : error} Usage: ${USAGE}`);
  }
}

try {
  await main();
} catch (error) {
  process.exitCode = explain(error);
}
