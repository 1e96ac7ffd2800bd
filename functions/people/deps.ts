import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { env, requireEnv } from "../../contract/env.ts";

export const deps = {
  objects: objectTable,
  jobs: jobTable,
  baseUrl: requireEnv(env.baseUrl),
  nowMs: Date.now,
  instanceEventsUrl: process.env[env.instanceEvents],
};
