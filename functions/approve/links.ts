import type { Payload } from "../../contract/payload.ts";
import { approvalRoutes as routes } from "../../contract/routes/approvals/approvals.ts";
import { buildLinkUrls } from "../../core/approvals/link.ts";
import { parseArguments, parseJsonParameter } from "../../core/payload/arguments.ts";
import { parseJson } from "../../core/payload/json.ts";
import { type DecisionInput, decideByLink, type LinkReference } from "../../services/approvals/decisions/decide.ts";
import { decideByGet } from "../../services/approvals/decisions/decide-by-get.ts";
import { on } from "../shared/edge.ts";
import { type Reply, text } from "../shared/reply.ts";
import { type ApproveRoutes, type Auth, collaborators as c } from "./collaborators.ts";

interface AtLink {
  workspace: string;
  id: string;
  resume_id: number;
  signature: string;
}
const linkOf = (
  { workspace, id, resume_id: resumeId, signature }: AtLink,
  { approver = "" }: { approver?: string | undefined },
): LinkReference => ({
  workspace,
  id,
  resumeId,
  approver,
  signature,
});

/** Reads a body of JSON or of a form. An empty body is an empty object. */
export async function bodyPayload(payload: Payload): Promise<unknown> {
  const body = payload.bytes.toString("utf8").trim();
  if (body === "") return {};
  const type = payload.headers["content-type"] ?? "";
  if (!/form-urlencoded|multipart/i.test(type)) return parseJson(body);
  return (await parseArguments(payload, { wrapBody: false, raw: false, headers: [], query: [] })).args;
}

const reasonIn = (payload: unknown): { reason?: string } => {
  const reason = (payload as { reason?: unknown } | null)?.reason;
  return typeof reason === "string" ? { reason: reason.slice(0, 2000) } : {};
};

const decision = (approved: boolean, payload: unknown): DecisionInput => ({ approved, payload, ...(approved ? {} : reasonIn(payload)) });

async function decide(auth: Auth, link: LinkReference, approved: boolean, payload: unknown): Promise<Reply> {
  return text(201, await decideByLink(c, link, auth.actor, decision(approved, payload)));
}

/** Redirects to the page, which shows the request and decides nothing by itself. */
function toPage({ signature, ...link }: LinkReference): Reply {
  return text(303, "Continue on the approval page.", {
    Location: buildLinkUrls(c.baseUrl, link, signature).approvalPage,
    "Cache-Control": "no-store",
  });
}

interface LinkGet {
  auth: Auth;
  params: AtLink;
  query: { approver?: string | undefined; payload?: string | undefined };
  headers: Payload["headers"];
}

async function byGet({ auth: { actor }, params, query, headers }: LinkGet, approved: boolean): Promise<Reply> {
  const link = linkOf(params, query);
  const sentence = await decideByGet(c, { link, actor, headers }, () => decision(approved, parseJsonParameter(query.payload)));
  return sentence === undefined ? toPage(link) : text(201, sentence);
}

export const links: ApproveRoutes = [
  on(routes.resumeByLink, async ({ auth, params, query, payload }) =>
    decide(auth, linkOf(params, query), true, await bodyPayload(payload)),
  ),
  on(routes.cancelByLink, async ({ auth, params, query, payload }) =>
    decide(auth, linkOf(params, query), false, await bodyPayload(payload)),
  ),
  on(routes.resumeByGet, (call) => byGet(call, true)),
  on(routes.cancelByGet, (call) => byGet(call, false)),
];
