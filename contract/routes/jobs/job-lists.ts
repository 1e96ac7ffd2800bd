import * as z from "zod";
import { flag, inWorkspace, jobId, page, timestamp } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { completedJobSchema, jobSchema, queuedJobSchema } from "./job.ts";

/** A page of a list carries the cursor of the next page in this header, unless the list ends with the page. */
export const NEXT_CURSOR_HEADER = "x-next-cursor";
/** A count carries this header if it is a lower bound. */
export const PARTIAL_COUNT_HEADER = "x-partial-count";

const FINDS =
  "Filters by `parent_job`, one exact path, unsuccessful states, `running` and `suspended` use an index. Filters by other fields that never " +
  "change compare up to 60,000 entries, and all other filters up to 200 jobs in one request. A page that is not full carries the header " +
  "`x-next-cursor` if more jobs may match: send it as `cursor` to continue. `page` reaches the first 10,000 jobs.";

export const listQuery = z.object({
  ...page,
  /** The header `x-next-cursor` of the previous page, instead of `page`. */
  cursor: z.string().max(200).optional(),
  created_by: z.string().optional(),
  label: z.string().optional(),
  worker: z.string().optional(),
  parent_job: z.string().optional(),
  script_path_exact: z.string().max(400).optional(),
  script_path_start: z.string().optional(),
  schedule_path: z.string().optional(),
  trigger_path: z.string().optional(),
  trigger_kind: z.string().optional(),
  script_hash: z.string().optional(),
  started_before: timestamp.optional(),
  started_after: timestamp.optional(),
  created_before: timestamp.optional(),
  created_after: timestamp.optional(),
  completed_before: timestamp.optional(),
  completed_after: timestamp.optional(),
  created_before_queue: timestamp.optional(),
  created_after_queue: timestamp.optional(),
  running: flag.optional(),
  suspended: flag.optional(),
  scheduled_for_before_now: flag.optional(),
  job_kinds: z.string().optional(),
  args: z.string().optional(),
  result: z.string().optional(),
  tag: z.string().optional(),
  success: flag.optional(),
  status: z.string().optional(),
  is_skipped: flag.optional(),
  is_flow_step: flag.optional(),
  has_null_parent: flag.optional(),
  is_not_schedule: flag.optional(),
  all_workspaces: flag.optional(),
  allow_wildcards: flag.optional(),
  broad_filter: z.string().optional(),
  order_desc: flag.optional(),
  /** Extension of svc: the jobs have `args_preview` and `result_preview`. */
  include_preview: flag.optional(),
});
export type JobListQuery = z.output<typeof listQuery>;

const { page: _, per_page: __, cursor: ___, order_desc: ____, include_preview: _____, ...filters } = listQuery.shape;
export const statsQuery = z.object({
  ...filters,
  bucket: z.coerce
    .number()
    .int()
    .min(1)
    .max(31 * 24 * 3600)
    .optional()
    .describe("The length of a bucket in seconds, an hour by default. The buckets begin at multiples of it."),
});
export type JobStatsQuery = z.output<typeof statsQuery>;

const statStates = [
  ...(["queued", "scheduled", "running", "suspended", "awaiting_approval"] as const),
  ...(["succeeded", "failed", "canceled", "skipped"] as const),
] as const;
export type StatState = (typeof statStates)[number];
const statsReply = z.object({
  from: timestamp,
  to: timestamp,
  bucket: z.int().describe("Seconds."),
  partial: z.boolean().describe("More jobs may match than one request reads: the counts are lower bounds before `complete_from`."),
  complete_from: timestamp.optional(),
  buckets: z.array(
    z.object({
      start: timestamp,
      counts: z.partialRecord(z.enum(statStates), z.int()),
      p50_ms: z.number().optional().describe("Quantiles of the durations of jobs that have ended after their start."),
      p95_ms: z.number().optional(),
      max_ms: z.number().optional(),
    }),
  ),
  error_kinds: z.int().describe("The number of different errors of the failed jobs, by name and by the beginning of the message."),
  errors: z.array(z.object({ name: z.string(), message: z.string(), count: z.int() })).describe("The 50 most frequent errors."),
});
export type JobStatsJson = z.input<typeof statsReply>;

const w = "/api/w/{workspace}";
const read = { method: "GET", fn: "jobs", auth: "token", status: 200, errors: [] } as const;
const listAll = { domain: "jobs", verb: "read", need: "read", target: "list" } as const;

/** Lists and counts of jobs. */
export const jobListRoutes = {
  listJobs: defineRoute({
    ...read,
    name: "jobs.list",
    summary: `List jobs, newest first. ${FINDS}`,
    path: `${w}/jobs/list`,
    access: listAll,
    params: inWorkspace,
    query: listQuery,
    reply: { json: z.array(jobSchema) },
  }),
  listQueue: defineRoute({
    ...read,
    name: "jobs.listQueue",
    summary: `List the jobs that have not ended. ${FINDS}`,
    path: `${w}/jobs/queue/list`,
    access: listAll,
    params: inWorkspace,
    query: listQuery,
    reply: { json: z.array(queuedJobSchema) },
  }),
  listCompleted: defineRoute({
    ...read,
    name: "jobs.listCompleted",
    summary: `List the jobs that have ended. ${FINDS}`,
    path: `${w}/jobs/completed/list`,
    access: listAll,
    params: inWorkspace,
    query: listQuery,
    reply: { json: z.array(completedJobSchema) },
  }),
  getStats: defineRoute({
    ...read,
    name: "jobs.stats",
    summary:
      "Count jobs by state and measure their durations, in buckets of their creation time, and count the errors of those that failed, for the filters of a list. The range ends at `created_before` or now, and has at most 200 buckets; a bucket without jobs is left out. One request reads up to 2,000 ended jobs, newest first.",
    path: `${w}/jobs/stats`,
    access: listAll,
    params: inWorkspace,
    query: statsQuery,
    reply: { json: statsReply },
  }),
  listFilteredUuids: defineRoute({
    ...read,
    name: "jobs.listUuids",
    summary: `List the ids of the jobs that match a filter. ${FINDS}`,
    path: `${w}/jobs/list_filtered_uuids`,
    access: listAll,
    params: inWorkspace,
    query: listQuery,
    reply: { json: z.array(jobId) },
  }),
  listQueueUuids: defineRoute({
    ...read,
    name: "jobs.listQueueUuids",
    summary: `List the ids of the queued jobs that match a filter. ${FINDS}`,
    path: `${w}/jobs/queue/list_filtered_uuids`,
    access: listAll,
    params: inWorkspace,
    query: listQuery,
    reply: { json: z.array(jobId) },
  }),
  countQueue: defineRoute({
    ...read,
    name: "jobs.countQueue",
    summary: "Count the jobs that have not ended.",
    path: `${w}/jobs/queue/count`,
    access: listAll,
    params: inWorkspace,
    query: z.object({ all_workspaces: flag.optional() }),
    reply: { json: z.object({ database_length: z.number(), suspended: z.number().optional() }) },
  }),
  queuePosition: defineRoute({
    ...read,
    name: "jobs.queuePosition",
    summary: "Get the position in the workspace's queue of a job that is scheduled for a time. It is absent if no job waits until then.",
    path: `${w}/jobs/queue/position/{scheduled_for_ms}`,
    access: { domain: "jobs", verb: "read", need: "member", target: "none" },
    // JavaScript has no dates after 8.64e15 ms.
    params: inWorkspace.extend({ scheduled_for_ms: z.coerce.number().int().min(0).max(8e15) }),
    reply: { json: z.object({ position: z.int().min(1).optional() }) },
  }),
  countCompleted: defineRoute({
    ...read,
    name: "jobs.countCompleted",
    summary: "Count the stored jobs that have ended.",
    path: `${w}/jobs/completed/count`,
    access: listAll,
    params: inWorkspace,
    reply: { json: z.object({ database_length: z.number() }) },
  }),
  countCompletedJobs: defineRoute({
    ...read,
    name: "jobs.countCompletedJobs",
    summary: "Count the ended jobs that match a filter.",
    path: `${w}/jobs/completed/count_jobs`,
    access: listAll,
    params: inWorkspace,
    query: z.object({
      completed_after_s_ago: z.coerce.number().int().min(0).optional(),
      success: flag.optional(),
      tags: z.string().optional(),
      all_workspaces: flag.optional(),
    }),
    reply: { json: z.number() },
  }),
};
