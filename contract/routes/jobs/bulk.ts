import * as z from "zod";
import { inWorkspace, jobId, jsonObject, timestamp } from "../../common.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { listQuery } from "./job-lists.ts";

const w = "/api/w/{workspace}/jobs/bulk";
/** A bulk action belongs to its creator: others, and jobs, do not reach it. */
const bulk = { domain: "jobs", verb: "write", need: "run", target: "request", personal: true } as const;
const atBulk = inWorkspace.extend({ bulk_id: jobId });

const flag = z.boolean().optional();
/** The filters of a list as JSON: flags are booleans. */
const filterSchema = listQuery
  .omit({ page: true, per_page: true, cursor: true, order_desc: true, all_workspaces: true, include_preview: true })
  .extend({
    running: flag,
    suspended: flag,
    scheduled_for_before_now: flag,
    success: flag,
    is_skipped: flag,
    is_flow_step: flag,
    has_null_parent: flag,
    is_not_schedule: flag,
    allow_wildcards: flag,
  });

const requestSchema = z
  .object({
    action: z.enum(["cancel", "rerun"]),
    ids: z.array(jobId).min(1).max(limits.bulkJobs).optional(),
    filter: filterSchema
      .optional()
      .describe("The filters of `jobs/list`, with flags as booleans: queued and running jobs to cancel, or ended jobs to run again."),
    version: z.enum(["same", "latest"]).optional().describe("The version that runs again. Default: the same."),
    args: jsonObject.optional().describe("Arguments that replace those of each run with the same names."),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    path: ["ids"],
    message: "must be present unless filter is present",
  })
  .refine(({ action, version, args }) => action === "rerun" || (version === undefined && args === undefined), {
    path: ["action"],
    message: "must be rerun for a version or arguments",
  });
export type BulkRequest = z.output<typeof requestSchema>;

const progressSchema = z.object({
  bulk_id: jobId,
  action: z.enum(["cancel", "rerun"]),
  state: z.enum(["collecting", "running", "stopping", "stopped", "done"]),
  done: z.int(),
  failed: z.int(),
  total: z.int().describe("The jobs that were found so far, while the state is `collecting`."),
  has_more: z.boolean().describe(`More jobs match than the ${limits.bulkJobs} that one action covers.`),
  errors: z.array(z.object({ id: jobId.optional(), error: z.string() })).describe(`The first ${limits.bulkErrors} errors.`),
  created_at: timestamp,
});
export type BulkJson = z.output<typeof progressSchema>;

/** Actions on many jobs, which continue after the reply (api.md §8). */
export const bulkRoutes = {
  startBulk: defineRoute({
    name: "jobs.bulk.start",
    summary: `Cancel up to ${limits.bulkJobs} jobs or run them again, after the reply. The rights of the caller are checked for each job when its turn comes.`,
    method: "POST",
    path: w,
    access: bulk,
    audits: { kind: "Updated", resource: { body: "action" } },
    fn: "jobs",
    auth: "token",
    params: inWorkspace,
    body: requestSchema,
    status: 201,
    reply: { json: z.object({ bulk_id: jobId }) },
    errors: ["bulk.tooMany", "body.tooLarge"],
  }),
  getBulk: defineRoute({
    name: "jobs.bulk.get",
    summary: "Get the progress of your action on many jobs. It is stored for 7 days.",
    method: "GET",
    path: `${w}/{bulk_id}`,
    access: { ...bulk, verb: "read", need: "member", target: "none" },
    fn: "jobs",
    auth: "token",
    params: atBulk,
    status: 200,
    reply: { json: progressSchema },
    errors: ["bulk.notFound"],
  }),
  stopBulk: defineRoute({
    name: "jobs.bulk.stop",
    summary: "Stop your action on many jobs after the jobs that are being handled. Completed changes remain.",
    method: "POST",
    path: `${w}/{bulk_id}/stop`,
    access: { ...bulk, inArchive: true },
    audits: { kind: "Updated", resource: { param: "bulk_id" } },
    fn: "jobs",
    auth: "token",
    params: atBulk,
    status: 200,
    reply: { json: progressSchema },
    errors: ["bulk.notFound", "write.collided"],
  }),
};
