import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { concurrencyTable } from "../../aws/concurrency-table.ts";
import { dataKeys } from "../../aws/data-keys.ts";
import { objectTable } from "../../aws/object-table.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { type BuildRequest, buildTargetSchema } from "../../core/builds/build.ts";
import { type JobAnswer, type JobCall, jobCallSchema } from "../../core/jobs/lifecycle.ts";
import { type Working, work, workCalled } from "../../services/jobs/work.ts";
import { executor } from "../shared/executor.ts";
import { handleCall, messageHandler } from "../shared/messages.ts";

const working: Working = {
  ...executor("worker"),
  objects: objectTable,
  concurrency: concurrencyTable,
  dataKeys,
  target: buildTargetSchema.parse(JSON.parse(requireEnv(env.buildTarget))),
  registries: JSON.parse(requireEnv(env.registries)) as BuildRequest["registries"],
};

const queued = messageHandler((message) => work(working, message));

/** Messages of the queue, or one call by `run` for a synchronous run that needs what only a worker may read. */
export async function handler(event: SQSEvent | JobCall, context: Context): Promise<SQSBatchResponse | JobAnswer> {
  if ("Records" in event) return queued(event, context);
  const call = jobCallSchema.parse(event);
  return handleCall(call.running.id, () => workCalled(working, call), context);
}
