import * as z from "zod";
import { anchorSchema, approvalEntrySchema } from "../../approval-record.ts";
import { inWorkspace, jobId, timestamp } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const read = { method: "GET", fn: "approve", auth: "token", params: inWorkspace, status: 200, errors: [] } as const;
const w = "/api/w/{workspace}/approvals";

const auditQuery = z.object({
  run: jobId.optional().describe("Id of the run's first job."),
  gate: jobId.optional(),
  before: timestamp.optional().describe("Only entries up to this time."),
  after: timestamp.optional().describe("Only entries after this time."),
  per_page: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe("Maximum number of entries. Default: 1000. A page may be shorter."),
  format: z.enum(["json", "csv"]).optional(),
});
export type ApprovalAuditQuery = z.output<typeof auditQuery>;

const auditPageSchema = z.object({
  entries: z.array(approvalEntrySchema),
  before: timestamp
    .optional()
    .describe("Pass this value as `before` to read the next page. Its first entries may repeat the last ones of this page."),
});
export type ApprovalAuditPage = z.output<typeof auditPageSchema>;

const why = z.enum(["missing", "foreign", "changed", "broken", "values", "head", "signature"]);
const verifiedSchema = z.object({
  ok: z.boolean().describe("Whether the checked entries are intact."),
  runs: z.int(),
  entries: z.int(),
  faults: z
    .array(z.object({ run: z.string().optional().describe("Absent if the fault is in the anchors."), n: z.int(), why }))
    .describe("The first fault of each run and of the anchors."),
  anchors: z.object({
    count: z.int(),
    signatures: z.int().describe("Number of valid anchors."),
    signed_to: z.string().optional().describe("The last day with signed heads."),
  }),
  next: z.string().optional().describe("There are more runs: repeat the request with this value as `from`."),
});
export type VerifiedRecord = z.output<typeof verifiedSchema>;

const anchorsSchema = z.object({
  anchors: z.array(anchorSchema.extend({ signature: z.enum(["valid", "invalid"]).describe("Whether KMS verifies the signature now.") })),
  next: z.int().optional().describe("There may be more: repeat the request with this value as `from`."),
});

const adminRead = { domain: "approvals", verb: "read", need: "admin", target: "none" } as const;

export const approvalRecordRoutes = {
  auditApprovals: defineRoute({
    ...read,
    name: "approvals.audit",
    summary: "List the decisions at gates, newest first. Entries are returned exactly as they were hashed.",
    path: `${w}/audit`,
    access: adminRead,
    query: auditQuery,
    reply: { json: auditPageSchema, csv: "The entries. In CSV, the header `x-svc-before` contains the value of `before`." },
  }),
  verifyApprovals: defineRoute({
    ...read,
    name: "approvals.verify",
    summary: "Verify that the record of one run, or of all runs, was not changed.",
    path: `${w}/verify`,
    access: adminRead,
    query: z.object({ run: jobId.optional(), from: jobId.optional().describe("Start with this run.") }),
    reply: { json: verifiedSchema },
  }),
  listAnchors: defineRoute({
    ...read,
    name: "approvals.anchors",
    summary: "List the signed heads of the record, oldest first.",
    path: `${w}/anchors`,
    access: adminRead,
    query: z.object({ from: z.coerce.number().int().min(1).max(99_999_999).optional() }),
    reply: { json: anchorsSchema },
  }),
};
