import { concurrencyTable } from "../../aws/dynamodb/concurrency-table.ts";
import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { handleDeadLetter } from "../../services/execution/handle-dead-letter.ts";
import { messageHandler } from "../shared/messages.ts";

const burying = { jobs: jobTable, objects: objectTable, concurrency: concurrencyTable, storage, queue, nowMs: Date.now };

export const handler = messageHandler((message) => handleDeadLetter(burying, message));
