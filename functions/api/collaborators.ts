import { concurrencyTable } from "../../aws/dynamodb/concurrency-table.ts";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { dataKeys } from "../../aws/kms/data-keys.ts";
import { buckets } from "../../aws/s3/buckets.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { executions } from "../../aws/stepfunctions/executions.ts";
import { env, requireEnv } from "../../contract/env.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { Handled } from "../shared/edge.ts";

export const collaborators = {
  jobs: jobTable,
  objects: objectTable,
  concurrency: concurrencyTable,
  executions,
  storage,
  buckets,
  dataKeys,
  queue,
  nowMs: Date.now,
  baseUrl: requireEnv(env.baseUrl),
  step: requireEnv(env.stepFunction),
};

/** Routes that anybody may call have no actor; the others are reached only with one. */
export interface Auth {
  actor: Actor;
  /** As it came, checked or not: signing out and renewing need it. */
  sentToken?: string | undefined;
  /** What a link to an approval lets see, in place of an actor: on the two routes that take one. */
  linked?: Job;
}
export type ApiRoutes = Handled<Auth>[];
