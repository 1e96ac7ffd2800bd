import * as z from "zod";
import { anchorSchema, approvalEntrySchema } from "../../approval-record.ts";
import { inWorkspace, jobId, timestamp } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const read = { method: "GET", fn: "approve", auth: "token", params: inWorkspace, status: 200, errors: [] } as const;
const w = "/api/w/{workspace}/approvals";

const auditQuery = z.object({
  run: jobId.optional().describe("A run's first job."),
  gate: jobId.optional(),
  before: timestamp.optional().describe("Not later than that."),
  after: timestamp.optional().describe("Later than that."),
  per_page: z.coerce.number().int().min(1).max(10_000).optional().describe("Default: 1000. A page may be shorter."),
  format: z.enum(["json", "csv"]).optional(),
});
export type ApprovalAuditQuery = z.output<typeof auditQuery>;

const auditPageSchema = z.object({
  entries: z.array(approvalEntrySchema),
  before: timestamp.optional().describe("There may be more: ask again with it. What it begins with may have come before."),
});
export type ApprovalAuditPage = z.output<typeof auditPageSchema>;

const why = z.enum(["missing", "foreign", "changed", "broken", "values", "head", "signature"]);
const verifiedSchema = z.object({
  ok: z.boolean().describe("No fault was found in what was looked at."),
  runs: z.int(),
  entries: z.int(),
  faults: z
    .array(z.object({ run: z.string().optional().describe("Absent: of the anchors."), n: z.int(), why }))
    .describe("The first fault of each run, and of the anchors."),
  anchors: z.object({
    count: z.int(),
    signatures: z.int().describe("So many hold."),
    signed_to: z.string().optional().describe("The last day whose heads are signed."),
  }),
  next: z.string().optional().describe("There is more: ask again with `from`."),
});
export type VerifiedRecord = z.output<typeof verifiedSchema>;

const anchorsSchema = z.object({
  anchors: z.array(anchorSchema.extend({ signature: z.enum(["valid", "invalid"]).describe("As KMS says now.") })),
  next: z.int().optional().describe("There may be more: ask again with `from`."),
});

/** The record of what people decided at the gates of runs (docs/decisions/0057). */
export const approvalRecordRoutes = {
  auditApprovals: defineRoute({
    ...read,
    name: "approvals.audit",
    summary: "Who decided what at which gate, newest first. Entries stand as they were hashed.",
    path: `${w}/audit`,
    query: auditQuery,
    reply: { json: auditPageSchema, csv: "The answer. As CSV, header `x-svc-before` says what `before` says in JSON." },
  }),
  verifyApprovals: defineRoute({
    ...read,
    name: "approvals.verify",
    summary: "Whether the record still is what was written: of one run, or of all.",
    path: `${w}/verify`,
    query: z.object({ run: jobId.optional(), from: jobId.optional().describe("From this run on.") }),
    reply: { json: verifiedSchema },
  }),
  listAnchors: defineRoute({
    ...read,
    name: "approvals.anchors",
    summary: "The signed heads of the record, oldest first.",
    path: `${w}/anchors`,
    query: z.object({ from: z.coerce.number().int().min(1).max(99_999_999).optional() }),
    reply: { json: anchorsSchema },
  }),
};
