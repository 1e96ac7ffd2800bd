import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { anyJson, atJob, jobId, jsonObject, timestamp } from "../../common.ts";
import { jobKindSchema } from "../../job-kind.ts";
import { scriptLanguageSchema } from "../../languages.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/jobs";
const share = actions.shareJob.access;

const shareSchema = z.object({
  id: jobId,
  created_by: z.string(),
  created_at: timestamp,
  expires_at: timestamp,
  with_args: z.boolean(),
});
export type ShareJson = z.output<typeof shareSchema>;

const stepSchema = z.object({
  id: z.string().describe("The id of the module."),
  state: z.enum(["pending", "queued", "running", "waiting", "succeeded", "failed", "skipped"]),
  done: z.int().optional().describe("The iterations or branches that have begun."),
  of: z.int().optional(),
});

const sharedRunSchema = z.object({
  path: z.string().optional(),
  job_kind: jobKindSchema,
  language: scriptLanguageSchema.optional(),
  state: z.enum(["queued", "running", "suspended", "awaiting_approval", "succeeded", "failed", "canceled", "skipped"]),
  created_at: timestamp,
  started_at: timestamp.optional(),
  completed_at: timestamp.optional(),
  duration_ms: z.number().optional(),
  steps: z.array(stepSchema).optional().describe("For a flow: its modules, in their order."),
  logs: z.string(),
  args: jsonObject.optional().describe("Present if the link shows them, without the values that a schema marks as secrets."),
  result: anyJson.optional().describe("Absent until the run ends."),
  omitted: z
    .array(z.enum(["logs", "args", "result"]))
    .describe("The parts that are larger than 512 KB. A log is cut, and the others are absent."),
  expires_at: timestamp,
});
export type SharedRunJson = z.output<typeof sharedRunSchema>;

/** Links that show one run without a token (api.md §8). */
export const shareRoutes = {
  shareJob: defineRoute({
    name: "jobs.share",
    summary:
      "Create a link that shows a run, which you may cancel, to everyone who has the link, for up to 7 days. The link is returned only once.",
    method: "POST",
    path: `${w}/share/{id}`,
    access: share,
    audits: { kind: "Created", resource: { param: "id" } },
    fn: "jobs",
    auth: "token",
    params: atJob,
    body: z.object({ expires_in_s: z.int().min(1).max(limits.shareS), with_args: z.boolean().default(false) }),
    status: 200,
    reply: { json: z.object({ id: jobId, url: z.string(), expires_at: timestamp }) },
    errors: ["job.notFound", "job.erased", "share.tooMany", "write.collided"],
  }),
  listShares: defineRoute({
    name: "jobs.listShares",
    summary: "List the valid links that show a run, without the links themselves.",
    method: "GET",
    path: `${w}/shares/{id}`,
    access: { ...share, verb: "read", need: "read" },
    fn: "jobs",
    auth: "token",
    params: atJob,
    status: 200,
    reply: { json: z.array(shareSchema) },
    errors: ["job.notFound"],
  }),
  revokeShare: defineRoute({
    name: "jobs.revokeShare",
    summary: "Revoke a link that shows a run.",
    method: "DELETE",
    path: `${w}/shares/{id}/{share}`,
    access: { ...share, inArchive: true },
    audits: { kind: "Delete", resource: { param: "id" } },
    fn: "jobs",
    auth: "token",
    params: atJob.extend({ share: jobId }),
    status: 200,
    reply: { text: "A confirmation." },
    errors: ["job.notFound", "share.notFound", "write.collided"],
  }),
  getSharedJob: defineRoute({
    name: "jobs.getShared",
    summary: "Get the run that a link shows. The link replaces a token.",
    method: "GET",
    path: "/api/share/{token}",
    access: "open",
    fn: "jobs",
    auth: "none",
    hiddenInLogs: ["token"],
    params: z.object({ token: z.string().max(300) }),
    status: 200,
    reply: { json: sharedRunSchema },
    errors: ["share.notFound"],
  }),
};
