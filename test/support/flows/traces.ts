import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import type { Workspace } from "../api/workspace.ts";
import { awsClients } from "../engine/aws.ts";
import type { TestInstance } from "../engine/instances.ts";

/** Returns everything that the stores contain about a job, as text. */
export async function tracesOf(instance: TestInstance, ws: Workspace, job: unknown): Promise<string> {
  const { dynamodb, s3 } = awsClients(instance);
  const input = {
    TableName: instance.outputs["JobsTable"],
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": { S: String(job) } },
  };
  const { Items } = await dynamodb.send(new QueryCommand({ ...input, ConsistentRead: true }));
  const { Contents = [] } = await s3.send(
    new ListObjectsV2Command({ Bucket: instance.outputs["Bucket"], Prefix: `jobs/${ws.id}/${String(job)}/` }),
  );
  return JSON.stringify([Items, Contents.map(({ Key }) => Key)]);
}
