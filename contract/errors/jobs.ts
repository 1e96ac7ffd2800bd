import { type Answers, type Issues, listIssues, type NoDetails } from "./answer.ts";

/** Errors of jobs, their queue and their replies. */
export interface JobErrors {
  "reply.shape": { id: string; reason: string };
  "job.notFound": { id: string };
  "job.notFinished": { id: string };
  "job.stepNotFinished": { id: string; step: string };
  "job.erased": { id: string };
  "job.idTaken": { id: string };
  "job.ended": { id: string; state: string };
  "job.syncTimeout": { id: string; limitMs: number };
  "job.notQueued": { id: string };
  "job.attemptLost": { id: string };
  "idempotency.key": { limit: number; header: string };
  "idempotency.reused": { id: string };
  "queue.full": { limit: number };
  "stream.tooMany": { limit: number; reader: "token" | "address"; retryAfterS: number };
  "stream.runUnknown": NoDetails;
  "run.arguments": { path: string; issues: Issues };
  "rerun.kind": { id: string; kind: string };
  "rerun.erased": { id: string };
  "rerun.secrets": { id: string };
  "rerun.expression": { argument: string; reason: string };
  "input.notFound": { id: string };
  "input.tooMany": { limit: number };
  "share.notFound": NoDetails;
  "share.tooMany": { limit: number };
  "bulk.notFound": { id: string };
  "bulk.tooMany": { limit: number };
}

export const jobAnswers: Answers<JobErrors> = {
  "reply.shape": { status: 400, describe: ({ id, reason }) => `The job ${id} returned an invalid reply: ${reason}.` },
  "job.notFound": { status: 404, describe: ({ id }) => `There is no job ${id}.` },
  "job.notFinished": { status: 404, describe: ({ id }) => `The job ${id} has not finished.` },
  "job.stepNotFinished": {
    status: 404,
    describe: ({ id, step }) => `The step ${step} of job ${id} has no result: it has not finished, or the flow has no such step.`,
  },
  "job.erased": { status: 404, describe: ({ id }) => `The result of job ${id} was erased, either on request or as its script specifies.` },
  "job.idTaken": { status: 400, describe: ({ id }) => `There is already a job ${id}. Omit job_id, or send a new UUID.` },
  "job.ended": { status: 400, describe: ({ id, state }) => `The job ${id} has already ended: ${state}.` },
  "job.syncTimeout": {
    status: 504,
    describe: ({ id, limitMs }) =>
      `The job ${id} did not finish within ${limitMs / 1000} s. It is still running: read its result at jobs_u/completed/get_result/${id}.`,
  },
  "job.notQueued": { status: 400, describe: ({ id }) => `The job ${id} is no longer queued: it has already started or ended.` },
  "job.attemptLost": { status: 409, describe: ({ id }) => `This attempt of job ${id} was replaced by another one. Stop working on it.` },
  "idempotency.key": {
    status: 400,
    describe: ({ limit, header }) => `The header ${header} must have 1 to ${limit} printable ASCII characters.`,
  },
  "idempotency.reused": {
    status: 422,
    describe: ({ id }) => `This Idempotency-Key was already used with other arguments, for job ${id}. Send a new key.`,
  },
  "queue.full": { status: 429, describe: ({ limit }) => `The queue_limit of ${limit} is reached. Try again later.` },
  "stream.tooMany": {
    status: 429,
    describe: ({ limit, reader, retryAfterS }) =>
      `${reader === "token" ? "This token" : "Your network address"} has ${limit} open streams, which is the maximum. Close one, or try again in ${retryAfterS} s.`,
  },
  "stream.runUnknown": {
    status: 404,
    describe: () => "The run of the stream in Last-Event-ID is no longer stored. To start a new run, leave out this header.",
  },
  "run.arguments": {
    status: 422,
    describe: ({ path, issues }) => `The arguments do not match the schema of ${path}. ${listIssues(issues)}.`,
  },
  "rerun.kind": {
    status: 400,
    describe: ({ id, kind }) => `The job ${id} is of kind ${kind}. Only runs of saved scripts and flows can be run again.`,
  },
  "rerun.erased": { status: 400, describe: ({ id }) => `The job ${id} cannot be run again: its arguments were erased.` },
  "rerun.secrets": {
    status: 400,
    describe: ({ id }) => `The job ${id} cannot be run again by itself: its flow passed secrets to it. Run the flow again.`,
  },
  "rerun.expression": {
    status: 400,
    describe: ({ argument, reason }) => `The expression for the argument ${argument} cannot be evaluated: ${reason}`,
  },
  "input.notFound": { status: 404, describe: ({ id }) => `There is no saved input ${id}.` },
  "input.tooMany": {
    status: 422,
    describe: ({ limit }) => `You have saved ${limit} inputs of this script or flow already. Delete one of them first.`,
  },
  "share.notFound": { status: 404, describe: () => "There is no such link. It may have expired, or it was revoked." },
  "share.tooMany": { status: 422, describe: ({ limit }) => `The run has ${limit} links already. Revoke one of them first.` },
  "bulk.notFound": { status: 404, describe: ({ id }) => `You have no bulk action ${id}.` },
  "bulk.tooMany": {
    status: 429,
    describe: ({ limit }) => `You have ${limit} unfinished bulk actions. Stop one, or wait until one has ended.`,
  },
};
