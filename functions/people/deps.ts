import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { deliveryQueue } from "../../aws/sqs/delivery-queue.ts";
import { env, requireEnv } from "../../contract/env.ts";

export const deps = {
  objects: objectTable,
  jobs: jobTable,
  deliveryQueue,
  baseUrl: requireEnv(env.baseUrl),
  /** The address of HTTP routes, if they have a domain of their own. */
  routesUrl: process.env[env.routesUrl] || undefined,
  nowMs: Date.now,
  instanceEventsUrl: process.env[env.instanceEvents],
};
