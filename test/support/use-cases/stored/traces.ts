import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { documents, s3 } from "../../../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../../../contract/env.ts";
import { objectFolders } from "../../../../contract/retention.ts";

/** Lists the keys of all objects that begin with a text. */
export async function listStoredKeys(Prefix: string): Promise<string[]> {
  const { Contents = [] } = await s3().send(new ListObjectsV2Command({ Bucket: requireEnv(env.bucket), Prefix }));
  return Contents.map(({ Key = "" }) => Key);
}

/** Returns everything that the stores contain about a job of a workspace, as text. */
export async function tracesOf(workspace: string, job: unknown): Promise<string> {
  const { Items } = await documents().send(
    new QueryCommand({
      TableName: requireEnv(env.jobsTable),
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": String(job) },
      ConsistentRead: true,
    }),
  );
  const keys = await Promise.all(Object.values(objectFolders).map((folder) => listStoredKeys(`${folder}/${workspace}/${String(job)}/`)));
  return JSON.stringify([Items, keys.flat()]);
}
