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
import { flowCancellation } from "../../services/flows/lifecycle/cancel.ts";
import type { Handled } from "../shared/edge.ts";
import { jobData } from "../shared/job-data.ts";

const canceling = { jobs: jobTable, concurrency: concurrencyTable, executions, storage, queue, nowMs: Date.now };

export const collaborators = {
  ...canceling,
  onJobCanceled: [flowCancellation(canceling)],
  jobData,
  objects: objectTable,
  buckets,
  dataKeys,
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
