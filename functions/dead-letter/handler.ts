import { concurrencyTable } from "../../aws/dynamodb/concurrency-table.ts";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { functions } from "../../aws/lambda/functions.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { executions } from "../../aws/stepfunctions/executions.ts";
import { handleDeadLetter } from "../../services/execution/endings/handle-dead-letter.ts";
import { messageHandler } from "../shared/edge/messages.ts";
import { followUps } from "../shared/wiring/follow-ups.ts";
import { jobEndedListeners } from "../shared/wiring/job-ended-listeners.ts";

const adapters = { followUps, jobs: jobTable, concurrency: concurrencyTable, storage, queue, executions, functions, nowMs: Date.now };
const deps = { ...adapters, onJobEnded: jobEndedListeners(adapters) };

export const handler = messageHandler((message) => handleDeadLetter(deps, message));
