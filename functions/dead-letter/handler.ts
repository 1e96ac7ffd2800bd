import { concurrencyTable } from "../../aws/concurrency-table.ts";
import { jobTable } from "../../aws/job-table.ts";
import { objectTable } from "../../aws/object-table.ts";
import { queue } from "../../aws/queue.ts";
import { storage } from "../../aws/storage.ts";
import { bury } from "../../services/jobs/bury.ts";
import { messageHandler } from "../shared/messages.ts";

const burying = { jobs: jobTable, objects: objectTable, concurrency: concurrencyTable, storage, queue, nowMs: Date.now };

export const handler = messageHandler((message) => bury(burying, message));
