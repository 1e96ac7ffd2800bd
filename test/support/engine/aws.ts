import { type AttributeValue, DynamoDBClient, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { LambdaClient, ListFunctionsCommand, UpdateFunctionConfigurationCommand } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SFNClient } from "@aws-sdk/client-sfn";
import { SQSClient } from "@aws-sdk/client-sqs";
import { engineCredentials } from "../../../engine/engine/child-env.ts";
import { invokeFunction } from "../../../engine/seed/admin.ts";
import { shared } from "../api/api.ts";
import { MISSING } from "./denied-requests.ts";

interface Reachable {
  endpoint: string;
  /** The endpoint of LocalStack's Step Functions, if it replaces that of the engine. */
  statesEndpoint?: string | undefined;
}

/** AWS clients for an instance's engine, for tests that inspect data behind the API or simulate faults. */
export function awsClients({ endpoint, statesEndpoint = endpoint }: Reachable = shared()) {
  const config = {
    endpoint,
    region: engineCredentials.AWS_REGION,
    credentials: { accessKeyId: engineCredentials.AWS_ACCESS_KEY_ID, secretAccessKey: engineCredentials.AWS_SECRET_ACCESS_KEY },
  };
  return {
    dynamodb: new DynamoDBClient(config),
    s3: new S3Client({ ...config, forcePathStyle: true, requestChecksumCalculation: "WHEN_REQUIRED" }),
    secrets: new SecretsManagerClient(config),
    sfn: new SFNClient({ ...config, endpoint: statesEndpoint }),
    sqs: new SQSClient(config),
    lambda: new LambdaClient(config),
  };
}

/** Calls a function directly, by the name of the stack's output, such as `HousekeepingFunction`. */
export function invoke(
  output: string,
  payload: unknown,
  instance: Reachable & { outputs: Readonly<Record<string, string>> } = shared(),
): Promise<unknown> {
  const name = instance.outputs[output];
  if (!name) throw new Error(`The stack has no output ${output}: it has ${Object.keys(instance.outputs).join(", ")}.`);
  return invokeFunction(instance.endpoint, name, payload);
}

/** Makes the target of one of a function's environment variables unavailable during `meanwhile`. */
export async function misdirected<T>(instance: Reachable, fn: RegExp, variable: string, meanwhile: () => Promise<T>): Promise<T> {
  const { lambda } = awsClients(instance);
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
  const found = Functions.find((one) => one.Environment?.Variables?.[variable] && fn.test(one.FunctionName ?? ""));
  const { FunctionName, Environment: { Variables = {} } = {} } = found ?? {};
  if (!FunctionName) throw new Error(`No function ${fn} has the variable ${variable}.`);
  const point = (value = "") =>
    lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables: { ...Variables, [variable]: value } } }));
  await point(`${Variables[variable]}${MISSING}`);
  try {
    return await meanwhile();
  } finally {
    await point(Variables[variable]);
  }
}

/** Changes a job's record as a fault would. Attributes have the names in aws/dynamodb/job-items.ts. */
export async function bendJob(
  instance: Reachable & { outputs: Readonly<Record<string, string>> },
  id: string,
  UpdateExpression: string,
  ExpressionAttributeValues: Record<string, AttributeValue>,
): Promise<void> {
  const Key = { pk: { S: id }, sk: { S: "job" } };
  const { dynamodb } = awsClients(instance);
  await dynamodb.send(
    new UpdateItemCommand({ TableName: instance.outputs["JobsTable"], Key, UpdateExpression, ExpressionAttributeValues }),
  );
}
