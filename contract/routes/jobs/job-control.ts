import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { atJob, atPath, flag, inWorkspace, jobId } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { completedJobSchema } from "./job.ts";

const w = "/api/w/{workspace}";
const post = { method: "POST", fn: "jobs", auth: "token", status: 200, errors: ["job.notFound"] } as const;
const reason = z.object({ reason: z.string().max(1000).nullish() });
const runJob = { domain: "jobs", verb: "write", need: "run", target: "job" } as const;
const runJobInArchive = actions.cancelJob.access;

/** Changes of jobs: start now, cancel, erase, progress. */
export const jobControlRoutes = {
  runNow: defineRoute({
    ...post,
    name: "jobs.startNow",
    summary: "Run a scheduled job immediately.",
    path: `${w}/jobs/queue/run_now/{id}`,
    access: runJob,
    audits: { kind: "Updated", resource: { param: "id" } },
    params: atJob,
    reply: { text: "A confirmation." },
    errors: ["job.notFound", "job.notQueued"],
  }),
  cancelJob: defineRoute({
    ...post,
    name: "jobs.cancel",
    summary: "Cancel a job: a queued job immediately, a running job within seconds.",
    path: `${w}/jobs_u/queue/cancel/{id}`,
    access: runJobInArchive,
    audits: { kind: "Updated", resource: { param: "id" } },
    params: atJob,
    body: reason.optional(),
    reply: { text: "A confirmation." },
    errors: ["job.notFound", "job.ended"],
  }),
  cancelSelection: defineRoute({
    ...post,
    name: "jobs.cancelSelection",
    summary:
      "Cancel several jobs and return the ids of the canceled ones. Jobs that have ended or that the caller may not see are omitted.",
    path: `${w}/jobs/queue/cancel_selection`,
    access: { domain: "jobs", verb: "write", need: "run", target: "request", inArchive: true },
    operation: "jobs.cancel",
    audits: { kind: "Updated", resource: "none" },
    params: inWorkspace,
    query: z.object({ force_cancel: flag.optional() }),
    body: z.array(jobId).max(1000),
    reply: { json: z.array(jobId) },
    errors: [],
  }),
  cancelPersistent: defineRoute({
    ...post,
    name: "jobs.cancelPersistent",
    summary: "Cancel the jobs of the script or flow at a path that have not ended and that the caller may cancel.",
    path: `${w}/jobs_u/queue/cancel_persistent/{path+}`,
    access: { domain: "jobs", verb: "write", need: "run", target: "path", hiddenAs: "script.notFound", inArchive: true },
    operation: "jobs.cancel",
    audits: { kind: "Updated", resource: { param: "path" } },
    params: atPath,
    body: reason.optional(),
    reply: { text: "A confirmation." },
    errors: ["script.notFound"],
  }),
  setProgress: defineRoute({
    ...post,
    name: "jobs.setProgress",
    summary: "Set the progress of a running job, in percent. It never decreases.",
    path: `${w}/job_metrics/set_progress/{id}`,
    access: runJob,
    audits: { kind: "Updated", resource: { param: "id" } },
    params: atJob,
    body: z.object({ percent: z.number().int().min(0).max(99).optional(), flow_job_id: z.string().optional() }),
    reply: { text: "The progress of the job." },
    errors: ["job.notFound"],
  }),
  forceCancelJob: defineRoute({
    ...post,
    name: "jobs.forceCancel",
    summary: "Mark a job as canceled immediately, even if its runner is still running.",
    path: `${w}/jobs_u/queue/force_cancel/{id}`,
    access: runJobInArchive,
    audits: { kind: "Updated", resource: { param: "id" } },
    params: atJob,
    body: reason.optional(),
    reply: { text: "A confirmation." },
    errors: ["job.notFound", "job.ended"],
  }),
  deleteCompleted: defineRoute({
    ...post,
    name: "jobs.deleteCompleted",
    summary: "Erase the logs, the arguments and the result of an ended job.",
    path: `${w}/jobs/completed/delete/{id}`,
    access: { domain: "jobs", verb: "write", need: "write", target: "job" },
    operation: "jobs.delete",
    audits: { kind: "Delete", resource: { param: "id" } },
    params: atJob,
    reply: { json: completedJobSchema },
    errors: ["job.notFound", "job.notFinished"],
  }),
};
