import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import { runNoticeChannels } from "../../contract/notices/channels.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";

/** A notice of a failed or recovered run to one receiver that is not an e-mail address. It is written together with the record of the notice. */
export const runNoticeSchema = z.object({
  kind: z.literal("run"),
  id: z.uuid(),
  workspace: z.string(),
  what: z.enum(["failed", "recovered"]),
  channel: z.enum(runNoticeChannels),
  /** For channels that receive by URL. */
  url: z.string().optional(),
  job: z.string(),
  path: z.string(),
  isFlow: z.boolean(),
  error: z.object({ name: z.string(), message: z.string() }).optional(),
  atMs: z.number(),
});
export type RunNotice = z.infer<typeof runNoticeSchema>;

/** Builds the message for published channels and for webhooks, in the form of Standard Webhooks. */
export const buildRunEvent = ({ workspace, what, job, path, isFlow, error, atMs }: RunNotice) => ({
  type: `run.${what}`,
  timestamp: toIsoTime(atMs),
  data: { workspace_id: workspace, job_id: job, path, is_flow: isFlow, ...defined({ error }) },
});

/** Builds the attributes by which receivers of published notices can filter. */
export const buildRunAttributes = ({ workspace, what, path }: RunNotice): Record<string, string> => ({
  workspace,
  what,
  kind: "run",
  path,
});

/** Builds the mail about a failed or recovered run. */
export function buildRunMail({
  workspace,
  what,
  job,
  path,
  isFlow,
  error,
}: Pick<RunNotice, "workspace" | "what" | "job" | "path" | "isFlow" | "error">) {
  const kind = isFlow ? "flow" : "script";
  const page = `/api/w/${workspace}/jobs_u/get/${job}`;
  const log = `The command "svc job logs ${job}" prints its log.`;
  if (what === "recovered")
    return { subject: `Recovered: ${path}`, lines: [`The ${kind} ${path} in workspace ${workspace} succeeds again.`, log], page };
  return {
    subject: `Failed: ${path}`,
    lines: [
      `The ${kind} ${path} in workspace ${workspace} failed.`,
      ...(error ? [`${error.name}: ${error.message}`] : []),
      log,
      "You receive at most one such mail about it in an hour.",
    ],
    page,
  };
}
