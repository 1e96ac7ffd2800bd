import type { Context } from "aws-lambda";
import { concurrencyTable } from "../../aws/dynamodb/concurrency-table.ts";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { scanObjects } from "../../aws/dynamodb/object-scan.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { scheduleTable } from "../../aws/dynamodb/schedule-table.ts";
import { anchorKey } from "../../aws/kms/anchor-key.ts";
import { functions } from "../../aws/lambda/functions.ts";
import { storage } from "../../aws/s3/storage.ts";
import { classifyAwsError } from "../../aws/sdk/aws-errors.ts";
import { deliveryQueue } from "../../aws/sqs/delivery-queue.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { executions } from "../../aws/stepfunctions/executions.ts";
import { stateMachines } from "../../aws/stepfunctions/state-machines.ts";
import { env, requireEnv } from "../../contract/env.ts";
import type { FailedItem } from "../../core/jobs/periodic-task.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { JobStore } from "../../ports/job-store.ts";
import { flowCancellation } from "../../services/flows/lifecycle/cancel.ts";
import { connectGatedFlows } from "../../services/flows/runtime/waiting/gated-flows.ts";
import { ItemIsolation, listFailedItems } from "../../services/maintenance/item-isolation.ts";
import { periodicTasks, RESUME_DUE_JOBS } from "../../services/maintenance/periodic-tasks.ts";
import { runPeriodicTasks, type TickResult } from "../../services/maintenance/run-periodic-tasks.ts";
import { connectOutcomeHandlers } from "../../services/outcome-handlers/follow-ups.ts";
import { logger, logInvocation } from "../shared/observe.ts";
import { jobData } from "../shared/wiring/job-data.ts";
import { jobEndedListeners } from "../shared/wiring/job-ended-listeners.ts";

/** The time for tasks, of the 55 s of one invocation. The last step of a task may take longer. */
const BUDGET_MS = 40_000;

interface TickEvent {
  /** Runs the tick as if it were this time (epoch ms), for operators and tests. */
  nowMs?: number;
  /** Also checks jobs that are due within this time. The action for each depends only on `nowMs`. */
  aheadMs?: number;
  /** Everything that ran before this time (epoch ms) has stopped, because the local engine was started: all jobs are checked first. */
  stoppedMs?: number;
  /** Limits the time for tasks. */
  budgetMs?: number;
  /** Returns the items that failed, instead of a tick. */
  list?: "failedItems";
}

/** Runs all tasks, then throws if one of them failed, so that the alarm on errors is triggered. */
export async function handler(event: TickEvent, context: Context): Promise<TickResult["counts"] | { failedItems: FailedItem[] }> {
  const startedMs = Date.now();
  const nowMs = () => event.nowMs ?? Date.now();
  const listDuePage: JobStore["listDuePage"] = (shard, untilMs, page) => jobTable.listDuePage(shard, untilMs + (event.aheadMs ?? 0), page);
  const isolation = new ItemIsolation({
    objects: objectTable,
    nowMs,
    classifyAwsError,
    onItemFailed: (failure, error) => logger.error("item failed", { ...failure, error: error as Error }),
  });
  if (event.list === "failedItems") return { failedItems: await listFailedItems({ objects: objectTable }) };
  const adapters = {
    followUps: connectOutcomeHandlers({ objects: objectTable, queue, nowMs }),
    jobs: { ...jobTable, listDuePage },
    concurrency: concurrencyTable,
    executions,
    functions,
    deliveryQueue,
    storage,
    queue,
    nowMs,
  };
  const tasks = periodicTasks(
    {
      ...adapters,
      onJobCanceled: [flowCancellation(adapters)],
      onJobEnded: jobEndedListeners(adapters),
      isolation,
      jobData,
      objects: objectTable,
      schedules: scheduleTable,
      scanObjects,
      stateMachines,
      stack: requireEnv(env.stack),
      deploysTriggerQueue: process.env["AWS_ENDPOINT_URL"] !== undefined,
      anchorKey,
      gatedFlows: connectGatedFlows({ jobs: jobTable, objects: objectTable, storage, executions }),
    },
    event,
  );
  const { counts, failed } = await runPeriodicTasks(tasks, {
    untilMs: startedMs + (event.budgetMs ?? BUDGET_MS),
    turn: event.stoppedMs === undefined ? Math.floor(startedMs / 60_000) : tasks.findIndex(({ name }) => name === RESUME_DUE_JOBS),
    onTaskFailed: (task, error) => logger.error("task failed", { error: error as Error, task }),
  });
  for (const [task, count] of Object.entries(counts)) countOutcome(`Housekeeping${task[0]?.toUpperCase()}${task.slice(1)}`, { count });
  countOutcome("LostAttempts", { count: counts["requeued"] ?? 0 });
  await logInvocation("tick", context, { ...counts, failed: failed.length, failedTasks: failed });
  if (failed.length > 0) throw new Error(`These housekeeping tasks failed: ${failed.join(", ")}. The log contains their errors.`);
  return counts;
}
