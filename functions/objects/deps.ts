import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { chatKeys, dataKeys, httpRouteKeys } from "../../aws/kms/data-keys.ts";
import { buckets } from "../../aws/s3/buckets.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { describeStateMachine } from "../../aws/stepfunctions/executions.ts";
import { env, requireEnv } from "../../contract/env.ts";

export const deps = {
  objects: objectTable,
  jobs: jobTable,
  storage,
  queue,
  buckets,
  dataKeys,
  httpRouteKeys,
  chatKeys,
  describeStateMachine,
  baseUrl: requireEnv(env.baseUrl),
  uploadsUrl: process.env[env.uploadsUrl] || undefined,
  stepFunction: requireEnv(env.stepFunction),
  stack: requireEnv(env.stack),
  nowMs: Date.now,
};
