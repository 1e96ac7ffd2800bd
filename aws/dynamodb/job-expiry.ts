import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { type JobKind, jobKindSchema } from "../../contract/job-kind.ts";
import { retentionSchema } from "../../contract/retention.ts";
import type { HeadImage, RemovedJob } from "../../ports/job-store.ts";
import { documents } from "../sdk/clients.ts";
import { headKeyOf } from "./job-items.ts";
import { jobsTable } from "./jobs-client.ts";

/** The expiry of records. The attribute `ho` lists the restarted flows that use the results of a run. */
export const jobExpiry = {
  /** Reads the job from the image of a removed head; `undefined` for another item. */
  parseRemoved(image: HeadImage): RemovedJob | undefined {
    const [id, workspace, kind] = [image["pk"]?.S, image["ws"]?.S, jobKindSchema.safeParse(image["kind"]?.S)];
    if (id === undefined || workspace === undefined || !kind.success) return undefined;
    const restartedFrom = image["fl"]?.M?.["restartedFrom"]?.S;
    return { id, workspace, kind: kind.data, retention: retentionSchema.parse(image["rn"]?.S), restartedFrom };
  },

  /** Holds a record for the job `holder` and sets its expiry to `untilMs`. Returns false if it has expired, or does not exist. */
  async holdRecord(id: string, holder: string, untilMs: number): Promise<boolean> {
    const updated = await update(id, {
      UpdateExpression: "SET #ttl = :until ADD #ho :holder",
      ConditionExpression: "#ttl > :now",
      ExpressionAttributeNames: { "#ttl": "ttl", "#ho": "ho" },
      ExpressionAttributeValues: {
        ":until": Math.ceil(untilMs / 1000),
        ":now": Math.floor(Date.now() / 1000),
        ":holder": new Set([holder]),
      },
    });
    return updated !== undefined;
  },

  /** Ends the hold of a job on a record. */
  async releaseRecord(id: string, holder: string): Promise<void> {
    await update(id, {
      UpdateExpression: "DELETE #ho :holder",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeNames: { "#ho": "ho" },
      ExpressionAttributeValues: { ":holder": new Set([holder]) },
    });
  },

  /**
   * Lets a record expire (epoch ms), so that DynamoDB removes it, which costs nothing. Returns the job's kind, or `undefined` if a restarted flow
   * holds the record, if it has expired before, if it does not exist, and if the job is no step but must be one.
   */
  async expireRecord(id: string, atMs: number, mustBe?: "step"): Promise<{ id: string; kind: JobKind } | undefined> {
    const changed = await update(id, {
      UpdateExpression: "SET #ttl = :at",
      ConditionExpression: `attribute_not_exists(#ho) AND #ttl > :at${mustBe ? " AND attribute_exists(step)" : ""}`,
      ExpressionAttributeNames: { "#ttl": "ttl", "#ho": "ho" },
      ExpressionAttributeValues: { ":at": Math.floor(atMs / 1000) },
    });
    return changed && { id, kind: jobKindSchema.parse(changed["kind"]) };
  },
};

async function update(
  id: string,
  change: Omit<UpdateCommandInput, "TableName" | "Key" | "ReturnValues">,
): Promise<Record<string, unknown> | undefined> {
  try {
    const key = { TableName: jobsTable.getName(), Key: headKeyOf(id) };
    return (await documents().send(new UpdateCommand({ ...key, ...change, ReturnValues: "ALL_NEW" }))).Attributes;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
