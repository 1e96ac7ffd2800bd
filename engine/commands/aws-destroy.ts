import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { DeleteObjectsCommand, ListObjectVersionsCommand, NoSuchBucket, S3Client } from "@aws-sdk/client-s3";
import { readOptions } from "../launch/commands.mjs";
import { Complaint, explain } from "../launch/complaint.mjs";
import { inPhase } from "../launch/progress.mjs";
import { aws, parsed } from "./aws-cli.ts";
import { type RunTimeKind, removeAll, runTimeKinds } from "./destroy/run-time-kinds.ts";
import { isReplaced, type NamedStack, type StackResource as Resource, readStackParts, type StackParts } from "./destroy/stack-parts.ts";

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

interface StackRecord extends NamedStack {
  StackStatusReason?: string;
  EnableTerminationProtection?: boolean;
}
interface Data {
  type: DataType;
  id: string;
}

/** An earlier call of this command may have deleted the resource and then been interrupted. */
async function awsUnlessMissing(...args: string[]): Promise<void> {
  try {
    await aws(...args);
  } catch (error) {
    if (!(error instanceof Complaint && /NotFound|NoSuchBucket|pending deletion/.test(error.message))) throw error;
  }
}

/** Describes a stack by its name, or by its ARN, which remains valid for 90 days after the deletion. */
async function describeStack(name: string): Promise<StackRecord> {
  const { Stacks: stacks } = await parsed<{ Stacks: StackRecord[] }>("cloudformation", "describe-stacks", "--stack-name", name);
  if (!stacks[0]) throw new Complaint(`CloudFormation does not describe the stack ${name}.`);
  return stacks[0];
}

/**
 * Waits for the end of the stack by its ARN, because its name is invalid after the deletion. The CLI polls only every 30 s. The user has
 * confirmed the deletion, so the stack's own protection is switched off.
 */
async function deleteStack({ StackId: id, StackName: name, EnableTerminationProtection: isProtected }: StackRecord): Promise<void> {
  if (isProtected) await aws("cloudformation", "update-termination-protection", "--no-enable-termination-protection", "--stack-name", id);
  await aws("cloudformation", "delete-stack", "--stack-name", id);
  for (;;) {
    const { StackStatus: status, StackStatusReason: reason = "" } = await describeStack(id);
    if (status === "DELETE_COMPLETE") return;
    if (status.endsWith("_FAILED")) throw new Complaint(`CloudFormation could not delete the stack ${name} (${status}). ${reason}`.trim());
    await sleep(STACK_POLL_MS);
  }
}

/** Deletes log groups of the stack that were created again, because a function wrote its last lines after its group was deleted. */
async function deleteLogGroups(stack: string, resources: readonly Resource[]): Promise<void> {
  const stackFunctions = new Set(
    resources.flatMap(({ ResourceType, PhysicalResourceId: id }) => (ResourceType === "AWS::Logs::LogGroup" && id ? [id] : [])),
  );
  const { logGroups: left = [] } = await parsed<{ logGroups?: { logGroupName: string }[] }>(
    ...["logs", "describe-log-groups", "--log-group-name-prefix", `${stack}-`],
  );
  for (const { logGroupName: name } of left.filter(({ logGroupName }) => stackFunctions.has(logGroupName)))
    await aws("logs", "delete-log-group", "--log-group-name", name);
}

function dataIn(resources: readonly Resource[]): Data[] {
  return resources.flatMap(({ ResourceType, PhysicalResourceId: id, ResourceStatus }) => {
    const type = dataTypes.find((candidate) => candidate === ResourceType);
    return type && id && ResourceStatus !== "DELETE_COMPLETE" ? [{ type, id }] : [];
  });
}

/** Deletes every object with all its versions and delete markers. S3 lists and deletes a thousand of them in one call. */
async function deleteVersions(bucket: string): Promise<void> {
  const client = new S3Client({ maxAttempts: 10, requestChecksumCalculation: "WHEN_REQUIRED" });
  try {
    for (;;) {
      const { Versions: versions = [], DeleteMarkers: markers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: bucket }));
      const objects = [...versions, ...markers].flatMap(({ Key, VersionId }) => (Key && VersionId ? [{ Key, VersionId }] : []));
      if (objects.length === 0) return;
      const { Errors: errors = [] } = await client.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } }),
      );
      if (errors[0]) throw new Complaint(`S3 did not delete ${errors[0].Key} of the bucket ${bucket}: ${errors[0].Message}`);
    }
  } catch (error) {
    if (!(error instanceof NoSuchBucket)) throw error;
  }
}

async function deleteData({ type, id }: Data): Promise<void> {
  switch (type) {
    case "AWS::DynamoDB::Table":
      await awsUnlessMissing("dynamodb", "update-table", "--table-name", id, "--no-deletion-protection-enabled");
      await awsUnlessMissing("dynamodb", "delete-table", "--table-name", id);
      return;
    case "AWS::S3::Bucket":
      await deleteVersions(id);
      await awsUnlessMissing("s3api", "delete-bucket", "--bucket", id);
      return;
    case "AWS::Cognito::UserPool":
      await awsUnlessMissing("cognito-idp", "update-user-pool", "--user-pool-id", id, "--deletion-protection", "INACTIVE");
      await awsUnlessMissing("cognito-idp", "delete-user-pool", "--user-pool-id", id);
      return;
    case "AWS::SecretsManager::Secret":
      await awsUnlessMissing("secretsmanager", "delete-secret", "--secret-id", id, "--force-delete-without-recovery");
      return;
    case "AWS::KMS::Key":
      // AWS deletes no key at once: for a week the deletion can be cancelled, and the key costs nothing.
      await awsUnlessMissing("kms", "schedule-key-deletion", "--key-id", id, "--pending-window-in-days", "7");
      return;
    default: {
      const never: never = type;
      throw new Error(`There is no rule to delete ${never}`);
    }
  }
}

const removeCreated = (kind: RunTimeKind, parts: StackParts) => inPhase("created", kind.title, () => removeAll(kind, parts));

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
  const { texts, flags } = readOptions("aws-destroy");
  const { stack: named = "svc" } = texts;
  const { "delete-data": withData = false, force = false } = flags;
  const { Account: account } = await parsed<{ Account: string }>("sts", "get-caller-identity");
  const stack = await describeStack(named);
  const { StackId: id, StackName: name } = stack;
  // The CLI reads all pages; describe-stack-resources would return the first 100.
  const { StackResourceSummaries: resources } = await parsed<{ StackResourceSummaries: Resource[] }>(
    ...["cloudformation", "list-stack-resources", "--stack-name", id],
  );
  const parts = readStackParts({ id, name }, resources);
  const kinds = (await isReplaced(stack, describeStack)) ? [] : Object.values(runTimeKinds);
  const counts: string[] = [];
  for (const kind of kinds) counts.push(`${(await kind.list(parts)).length} ${kind.title}`);
  const data = dataIn(resources);

  const print = (line: string) => process.stderr.write(`${line}\n`);
  print(`Account ${account}: the stack ${name} with ${resources.length} resources will be deleted, and what its functions created:`);
  print(`  ${counts.join(", ") || "nothing, because a newer stack has this name"}`);
  print(withData ? "Its data will also be deleted permanently:" : "Its data will remain; --delete-data deletes it permanently:");
  for (const { type, id: resource } of data) print(`  ${type.replace(/^AWS::/, "").padEnd(24)} ${resource}`);
  print(`To continue later, also after the stack was deleted: npm run aws:destroy -- --stack ${id} --delete-data`);
  await consent(name, force);

  if (stack.StackStatus !== "DELETE_COMPLETE") {
    // Running executions use the stack's roles.
    await removeCreated(runTimeKinds.machines, parts);
    await inPhase("stack", `${name} (CloudFront takes some minutes)`, () => deleteStack(stack));
  }
  // A running function would create them again, so they are removed after the stack. Machines may have been created since.
  for (const kind of kinds) await removeCreated(kind, parts);
  if (kinds.length > 0) await inPhase("logs", "log groups", () => deleteLogGroups(name, resources));
  if (!withData) return;
  await inPhase("data", `${data.length} stores`, async () => {
    for (const store of data) await deleteData(store);
  });
}

try {
  await main();
} catch (error) {
  process.exitCode = explain(error);
}
