import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { scheduleTable } from "../../aws/dynamodb/schedule-table.ts";
import { triggerSources } from "../../aws/lambda/trigger-sources.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { env, requireEnv } from "../../contract/env.ts";

export const deps = {
  objects: objectTable,
  schedules: scheduleTable,
  jobs: jobTable,
  storage,
  queue,
  sources: triggerSources,
  mailDomain: process.env[env.mailDomain] || undefined,
  triggerQueueArn: requireEnv(env.triggerQueueArn),
  stack: requireEnv(env.stack),
  nowMs: Date.now,
};
