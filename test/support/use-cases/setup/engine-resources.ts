import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  type KeySchemaElement,
} from "@aws-sdk/client-dynamodb";
import { CreateKeyCommand, type CreateKeyRequest, KMSClient } from "@aws-sdk/client-kms";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { engineCredentials } from "../../../../engine/engine/child-env.ts";
import { anApp } from "../../../../lib/app-fixture.ts";
import { parseConfig } from "../../../../lib/config.ts";
import { JobsTable } from "../../../../lib/storage/jobs-table.ts";
import { Keys } from "../../../../lib/storage/keys.ts";
import { ObjectsTable } from "../../../../lib/storage/objects-table.ts";

/** A table as the stack declares it, without a name. */
export type TableDefinition = Pick<CreateTableCommandInput, "AttributeDefinitions" | "KeySchema" | "GlobalSecondaryIndexes">;

/** The shared resources of use-case tests: the engine's endpoint, the definitions of the tables, and resources without state. */
export interface UseCaseResources {
  endpoint: string;
  tables: { jobs: TableDefinition; objects: TableDefinition };
  bucket: string;
  secretsKey: string;
  anchorKey: string;
  signingSecret: string;
}

interface TableProperties {
  AttributeDefinitions: AttributeDefinition[];
  KeySchema: KeySchemaElement[];
  GlobalSecondaryIndexes?: GlobalSecondaryIndex[];
}
interface KeyProperties {
  KeySpec?: CreateKeyRequest["KeySpec"];
  KeyUsage?: CreateKeyRequest["KeyUsage"];
}

/**
 * Synthesises only the storage constructs of the stack, which need no bundles. The property names of CloudFormation are those of the API.
 */
function declared() {
  const config = parseConfig({}, true);
  const [jobs, objects, keys] = ["Jobs", "Objects", "Keys"].map((id) => new Stack(anApp(), id)) as [Stack, Stack, Stack];
  new JobsTable(jobs, "Table", config);
  new ObjectsTable(objects, "Table", config);
  new Keys(keys, "Keys", config);
  const only = <P>(stack: Stack, type: string) =>
    Object.values(Template.fromStack(stack).findResources(type)).map((found) => (found as { Properties: P }).Properties);
  const definition = (stack: Stack): TableDefinition => {
    const [{ AttributeDefinitions, KeySchema, GlobalSecondaryIndexes }] = only<TableProperties>(stack, "AWS::DynamoDB::Table") as [
      TableProperties,
    ];
    return { AttributeDefinitions, KeySchema, ...(GlobalSecondaryIndexes ? { GlobalSecondaryIndexes } : {}) };
  };
  return { jobs: definition(jobs), objects: definition(objects), keys: only<KeyProperties>(keys, "AWS::KMS::Key") };
}

const clientConfig = (endpoint: string) => ({
  endpoint,
  region: engineCredentials.AWS_REGION,
  credentials: { accessKeyId: engineCredentials.AWS_ACCESS_KEY_ID, secretAccessKey: engineCredentials.AWS_SECRET_ACCESS_KEY },
});

/** Creates the shared resources of all use-case tests on a running engine. */
export async function createSharedResources(endpoint: string): Promise<UseCaseResources> {
  const { jobs, objects, keys } = declared();
  const kms = new KMSClient(clientConfig(endpoint));
  const createKey = async (isWanted: (key: KeyProperties) => boolean) => {
    const { KeySpec, KeyUsage } = keys.find(isWanted) ?? {};
    const { KeyMetadata } = await kms.send(new CreateKeyCommand({ ...(KeySpec ? { KeySpec } : {}), ...(KeyUsage ? { KeyUsage } : {}) }));
    return KeyMetadata?.Arn ?? "";
  };
  const isForSigning = ({ KeyUsage }: KeyProperties) => KeyUsage === "GENERATE_VERIFY_MAC";
  const [bucket, signingSecret] = ["use-cases", "use-cases/signing"];
  const [secretsKey, anchorKey] = await Promise.all([
    createKey((key) => !isForSigning(key)),
    createKey(isForSigning),
    new S3Client({ ...clientConfig(endpoint), forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" }).send(
      new CreateBucketCommand({ Bucket: bucket }),
    ),
    new SecretsManagerClient(clientConfig(endpoint)).send(
      new CreateSecretCommand({ Name: signingSecret, SecretString: "signs tokens of jobs in tests" }),
    ),
  ]);
  return { endpoint, tables: { jobs, objects }, bucket, secretsKey, anchorKey, signingSecret };
}

/** Creates two empty tables and two empty queues, so that no test sees the jobs of another one. */
export async function createTables(
  { tables }: UseCaseResources,
  name: string,
  { dynamodb, sqs }: { dynamodb: DynamoDBClient; sqs: SQSClient },
) {
  const table = async (which: keyof UseCaseResources["tables"]) => {
    const TableName = `${name}-${which}`;
    await dynamodb.send(new CreateTableCommand({ TableName, ...tables[which], BillingMode: "PAY_PER_REQUEST" }));
    return TableName;
  };
  const queue = async (which: string) => (await sqs.send(new CreateQueueCommand({ QueueName: `${name}-${which}` }))).QueueUrl ?? "";
  const [jobs, objects, normal, high, deliveries] = await Promise.all([
    ...([table("jobs"), table("objects"), queue("normal"), queue("high")] as const),
    queue("deliveries"),
  ]);
  return { jobs, objects, queues: { normal, high }, deliveries };
}
