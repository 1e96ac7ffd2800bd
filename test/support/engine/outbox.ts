import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { shared } from "../api/api.ts";
import { awsClients } from "./aws.ts";

/** Lists a workspace's outbox as `<type> <object>`, oldest first. */
export async function outboxOf(workspace: string): Promise<string[]> {
  const { Items = [] } = await awsClients().dynamodb.send(
    new QueryCommand({
      TableName: shared().outputs["ObjectsTable"],
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": { S: `OUTBOX#${workspace}` } },
      ConsistentRead: true,
    }),
  );
  return Items.map(({ v }) => `${v?.M?.["type"]?.S} ${v?.M?.["object"]?.S}`);
}
