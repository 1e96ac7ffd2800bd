import { answerOf, call, ownJob, pathPart } from "./connection.ts";

/** The URLs of one approval. */
export interface ResumeUrls {
  /** For people: the approval page. Opening it does not decide. */
  approvalPage: string;
  /** Secret: `POST` to it approves, with any JSON as payload. */
  resume: string;
  /** Secret: `POST` to it rejects. */
  cancel: string;
}

/**
 * Creates the URLs that approve or reject the step that runs this code. Each call returns new URLs, and each counts once. The URLs are secrets that
 * allow their holder to decide: send the page to people and the other two only to programs.
 *
 * @param approver name of the approver, which the flow sees in `approvers`
 * @param flowLevel the URLs apply to the next step of the flow that requests approval, even before it does
 */
export async function getResumeUrls(approver?: string, flowLevel = false): Promise<ResumeUrls> {
  const [resumeId] = crypto.getRandomValues(new Uint32Array(1));
  const query = { approver, flow_level: flowLevel || undefined };
  return (await answerOf(await call("GET", `jobs/resume_urls/${pathPart(ownJob())}/${resumeId}`, { query }))) as ResumeUrls;
}

/** An alias with the older name. */
export async function getResumeEndpoints(approver?: string, flowLevel = false): Promise<ResumeUrls> {
  return await getResumeUrls(approver, flowLevel);
}
