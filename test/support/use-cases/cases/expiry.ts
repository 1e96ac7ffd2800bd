import { randomUUID } from "node:crypto";
import { DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, ListObjectsV2Command, PutBucketLifecycleConfigurationCommand } from "@aws-sdk/client-s3";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { inject, vi } from "vitest";
import { documents, s3 } from "../../../../aws/sdk/clients.ts";
import { env, requireEnv } from "../../../../contract/env.ts";
import { anApp } from "../../../../lib/app-fixture.ts";
import { parseConfig } from "../../../../lib/config.ts";
import { Storage } from "../../../../lib/storage/bucket.ts";
import { removeExpiredJob } from "../../../../services/jobs/erasure/remove-expired-job.ts";
import type { World } from "../world.ts";

interface Rule {
  Id: string;
  Prefix?: string;
  ExpirationInDays?: number;
}

/** The lifecycle rules with which the stack declares its bucket. */
function declaredRules(): Rule[] {
  const stack = new Stack(anApp(), "Storage");
  new Storage(stack, "Storage", parseConfig({}, true));
  const [bucket] = Object.values(Template.fromStack(stack).findResources("AWS::S3::Bucket"));
  return bucket?.Properties.LifecycleConfiguration.Rules;
}

/** Gives a world its own bucket with the stack's lifecycle rules, and its tables the stack's expiry, and moves the process's clock with the world's. */
export async function addExpiry(world: World): Promise<void> {
  const dynamodb = new DynamoDBClient({});
  for (const TableName of tables()) {
    const TimeToLiveSpecification = { AttributeName: "ttl", Enabled: true };
    await dynamodb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }
  const bucket = `expiry-${randomUUID()}`;
  await s3().send(new CreateBucketCommand({ Bucket: bucket }));
  const rules = declaredRules().filter(({ ExpirationInDays }) => ExpirationInDays !== undefined);
  await s3().send(
    new PutBucketLifecycleConfigurationCommand({
      Bucket: bucket,
      LifecycleConfiguration: {
        Rules: rules.map(({ Id, Prefix, ExpirationInDays }) => {
          return { ID: Id, Status: "Enabled" as const, Filter: { Prefix }, Expiration: { Days: ExpirationInDays } };
        }),
      },
    }),
  );
  vi.stubEnv(env.bucket, bucket);
  vi.useFakeTimers({ toFake: ["Date"], now: world.clock.nowMs });
}

const tables = () => [requireEnv(env.jobsTable), requireEnv(env.objectsTable)];

interface Swept {
  records: { dynamodb: { Keys: Record<string, { S: string }>; OldImage: Record<string, { S?: string }> } }[];
  objects: number;
}

/**
 * Moves the clock by some days, removes what AWS has removed by then, and handles the records of the table's stream. Returns the number of jobs
 * whose data the service itself removed.
 */
export async function passDays(world: World, days: number): Promise<number> {
  const { clock, deps } = world;
  const passedMs = days * 24 * 3600 * 1000;
  clock.nowMs += passedMs;
  vi.setSystemTime(clock.nowMs);
  const body = JSON.stringify({ nowMs: clock.nowMs, tables: tables(), buckets: [requireEnv(env.bucket)], olderByMs: passedMs });
  const answer = await fetch(`${inject("useCases").endpoint}/_svc/expire`, { method: "POST", body });
  const { records } = (await answer.json()) as Swept;
  // The filter of the event source mapping (lib/storage/jobs-table.ts).
  const removedRecords = records.filter(({ dynamodb: { Keys, OldImage } }) => Keys["sk"]?.S === "job" && OldImage["rn"]?.S === "long");
  for (const { dynamodb } of removedRecords) {
    const job = deps.jobs.parseRemoved(dynamodb.OldImage);
    if (job) await removeExpiredJob(deps, job);
  }
  return removedRecords.length;
}

/** Lists all that a world has stored for jobs: the keys of items and of objects. Plans of saved flows remain. */
export async function listStored(): Promise<string[]> {
  const { Items = [] } = await documents().send(new ScanCommand({ TableName: requireEnv(env.jobsTable) }));
  const { Contents = [] } = await s3().send(new ListObjectsV2Command({ Bucket: requireEnv(env.bucket) }));
  return [...Items.map(({ pk, sk }) => `${pk} ${sk}`), ...Contents.map(({ Key = "" }) => Key).filter((key) => !key.startsWith("flows/"))];
}
