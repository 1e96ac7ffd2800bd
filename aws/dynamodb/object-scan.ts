import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { env, requireEnv } from "../../contract/env.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import type { ScannedItem } from "../../ports/object-store.ts";
import { documents } from "../sdk/clients.ts";

/** Reads one page of the complete table `objects`, in undefined order. It is only for rare operations, because it reads every item. */
export async function scanObjects(after: ObjectKey | undefined): Promise<{ items: ScannedItem[]; next: ObjectKey | undefined }> {
  const { Items = [], LastEvaluatedKey } = await documents().send(
    new ScanCommand({
      TableName: requireEnv(env.objectsTable),
      ConsistentRead: true,
      ProjectionExpression: "pk, sk, #value.#workspace",
      ExpressionAttributeNames: { "#value": "v", "#workspace": "workspace" },
      ...(after ? { ExclusiveStartKey: { pk: after.pk, sk: after.sk } } : {}),
    }),
  );
  const items = Items.map(({ pk, sk, v }) => ({ pk: String(pk), sk: String(sk), workspace: v?.["workspace"] as string | undefined }));
  return { items, next: LastEvaluatedKey && { pk: String(LastEvaluatedKey["pk"]), sk: String(LastEvaluatedKey["sk"]) } };
}
