import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import { findLastStep } from "../../services/flows/inspection/last-step.ts";
import { createStreamHandler } from "./answer-stream.ts";

const deps = {
  objects: objectTable,
  jobs: jobTable,
  queue,
  storage,
  nowMs: Date.now,
  findLastStep: (flow: Job) => findLastStep({ jobs: jobTable, storage }, flow),
};

/** Answers the streaming routes. On AWS `handler.ts` streams its replies, locally the front server does. */
export const answer = createStreamHandler(deps, { objects: objectTable, jobs: jobTable, publicKey: findPublicKey, nowMs: Date.now });
