import { PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { shared } from "../api/api.ts";
import { awsClients } from "./aws.ts";

/** Stores an endpoint that is switched off, so that changes of the workspace write events and nothing is sent. */
export async function addOutboxReader(workspace: string): Promise<void> {
  const value = {
    id: { S: "workspace" },
    url: { S: "https://events.example.com/hook" },
    enabled: { BOOL: false },
    createdBy: { S: "admin" },
    createdAtMs: { N: "0" },
    editedBy: { S: "admin" },
    editedAtMs: { N: "0" },
  };
  await awsClients().dynamodb.send(
    new PutItemCommand({
      TableName: shared().outputs["ObjectsTable"],
      Item: { pk: { S: `ENDPOINT#${workspace}` }, sk: { S: "workspace" }, v: { M: value } },
    }),
  );
}

/** Lists a workspace's outbox as `<type> <path or name>`, oldest first. */
export async function outboxOf(workspace: string): Promise<string[]> {
  const { Items = [] } = await awsClients().dynamodb.send(
    new QueryCommand({
      TableName: shared().outputs["ObjectsTable"],
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": { S: `OUTBOX#${workspace}` } },
      ConsistentRead: true,
    }),
  );
  return Items.map(({ v }) => {
    const { type, data } = v?.M ?? {};
    return `${type?.S} ${data?.M?.["path"]?.S ?? data?.M?.["name"]?.S}`;
  });
}
