import { SvcError } from "../../contract/errors.ts";
import type { Payload } from "../../contract/payload.ts";
import { approvalRoutes as routes } from "../../contract/routes/approvals/approvals.ts";
import { buildLinkUrls, isLinkSignature } from "../../core/approvals/link.ts";
import { parseArguments, parseJsonParameter } from "../../core/payload/arguments.ts";
import { parseJson } from "../../core/payload/json.ts";
import { type DecisionInput, decideByLink, type LinkReference } from "../../services/approvals/decisions/decide.ts";
import { decideByGet } from "../../services/approvals/decisions/decide-by-get.ts";
import { on } from "../shared/edge/edge.ts";
import { type Reply, text } from "../shared/reply/reply.ts";
import { type ApproveRoutes, type Auth, deps } from "./deps.ts";

interface LinkParams {
  workspace: string;
  id: string;
  resume_id: number;
  signature: string;
}

/** Throws `approval.link`, so that the text of an invalid link is never written into a header. */
function toLinkReference(
  { workspace, id, resume_id: resumeId, signature }: LinkParams,
  { approver = "" }: { approver?: string | undefined },
): LinkReference {
  if (!isLinkSignature(signature)) throw new SvcError("approval.link", {});
  return { workspace, id, resumeId, approver, signature };
}

/** Parses a body of JSON or of a form. An empty body is an empty object. */
export async function parsePayload(payload: Payload): Promise<unknown> {
  const body = payload.bytes.toString("utf8").trim();
  if (body === "") return {};
  const type = payload.headers["content-type"] ?? "";
  if (!/form-urlencoded|multipart/i.test(type)) return parseJson(body);
  return (await parseArguments(payload, { wrapBody: false, raw: false, headers: [], query: [] })).args;
}

const readReason = (payload: unknown): { reason?: string } => {
  const reason = (payload as { reason?: unknown } | null)?.reason;
  return typeof reason === "string" ? { reason: reason.slice(0, 2000).toWellFormed() } : {};
};

const toDecisionInput = (approved: boolean, payload: unknown): DecisionInput => ({
  approved,
  payload,
  ...(approved ? {} : readReason(payload)),
});

interface LinkPost {
  auth: Auth;
  params: LinkParams;
  query: { approver?: string | undefined };
  readPayload: () => Promise<Payload>;
}

async function answerPost({ auth, params, query, readPayload }: LinkPost, approved: boolean): Promise<Reply> {
  const readInput = async () => toDecisionInput(approved, await parsePayload(await readPayload()));
  return text(201, await decideByLink(deps, toLinkReference(params, query), auth.actor, readInput));
}

/** Redirects to the page, which shows the request and decides nothing by itself. */
function redirectToPage({ signature, ...link }: LinkReference): Reply {
  return text(303, "Continue on the approval page.", {
    Location: buildLinkUrls(deps.baseUrl, link, signature).approvalPage,
    "Cache-Control": "no-store",
  });
}

interface LinkGet {
  auth: Auth;
  params: LinkParams;
  query: { approver?: string | undefined; payload?: string | undefined };
  headers: Payload["headers"];
}

async function answerGet({ auth: { actor }, params, query, headers }: LinkGet, approved: boolean): Promise<Reply> {
  const link = toLinkReference(params, query);
  const sentence = await decideByGet(deps, { link, actor, headers }, () => toDecisionInput(approved, parseJsonParameter(query.payload)));
  return sentence === undefined ? redirectToPage(link) : text(201, sentence);
}

export const linkRoutes: ApproveRoutes = [
  on(routes.resumeByLink, (call) => answerPost(call, true)),
  on(routes.cancelByLink, (call) => answerPost(call, false)),
  on(routes.resumeByGet, (call) => answerGet(call, true)),
  on(routes.cancelByGet, (call) => answerGet(call, false)),
];
