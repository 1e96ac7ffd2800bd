import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { storage } from "../../aws/s3/storage.ts";
import { deliveryQueue } from "../../aws/sqs/delivery-queue.ts";
import { env, requireEnv } from "../../contract/env.ts";

export const deps = {
  objects: objectTable,
  jobs: jobTable,
  storage,
  deliveryQueue,
  baseUrl: requireEnv(env.baseUrl),
  /** The address of HTTP routes, if they have a separate domain. */
  routesUrl: process.env[env.routesUrl] || undefined,
  nowMs: Date.now,
  instanceEventsUrl: process.env[env.instanceEvents],
};
