import { answerOf, call, ownJob, pathPart } from "./connection.ts";

/** The addresses of one approval. */
export interface ResumeUrls {
  /** For people: a page to decide on. Opening it decides nothing. */
  approvalPage: string;
  /** Secret: `POST` to it approves, with any JSON as payload. */
  resume: string;
  /** Secret: `POST` to it rejects. */
  cancel: string;
}

/**
 * Addresses by which the step that this code runs in is approved or rejected, new ones at each call: each counts once. What holds them may decide, so
 * send the page to people and the others to programs alone.
 *
 * @param approver whom they are for: a name that the flow sees among its `approvers`
 * @param flowLevel they are for whichever step of the flow asks next, also before one does
 */
export async function getResumeUrls(approver?: string, flowLevel = false): Promise<ResumeUrls> {
  const [resumeId] = crypto.getRandomValues(new Uint32Array(1));
  const query = { approver, flow_level: flowLevel || undefined };
  return (await answerOf(await call("GET", `jobs/resume_urls/${pathPart(ownJob())}/${resumeId}`, { query }))) as ResumeUrls;
}

/** The same under its older name. */
export async function getResumeEndpoints(approver?: string, flowLevel = false): Promise<ResumeUrls> {
  return await getResumeUrls(approver, flowLevel);
}
