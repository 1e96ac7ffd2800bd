import { concurrencyTable } from "../../../aws/dynamodb/concurrency-table.ts";
import { jobTable } from "../../../aws/dynamodb/job-table.ts";
import { storage } from "../../../aws/s3/storage.ts";
import { queue } from "../../../aws/sqs/queue.ts";
import { executions } from "../../../aws/stepfunctions/executions.ts";
import { flowCancellation, type StopFlowDeps } from "../../../services/flows/lifecycle/cancel.ts";
import type { CancelJobDeps } from "../../../services/jobs/cancel/cancel-job.ts";
import { followUps } from "./follow-ups.ts";

const stopDeps = {
  followUps,
  jobs: jobTable,
  concurrency: concurrencyTable,
  executions,
  storage,
  queue,
  nowMs: Date.now,
} satisfies StopFlowDeps;

/** The dependencies of canceling a job, including the flow that it runs. */
export const cancelDeps = { ...stopDeps, onJobCanceled: [flowCancellation(stopDeps)] } satisfies CancelJobDeps;
