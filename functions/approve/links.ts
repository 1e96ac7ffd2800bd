import type { Payload } from "../../contract/payload.ts";
import { approvalRoutes as routes } from "../../contract/routes/approvals/approvals.ts";
import { urlsOf } from "../../core/approvals/link.ts";
import { isApprovalGet } from "../../core/approvals/link-preview.ts";
import { argumentsOf, jsonInParameter } from "../../core/payload/arguments.ts";
import { parseJson } from "../../core/payload/json.ts";
import { decideByLink, type SentLink } from "../../services/approvals/decisions/decide.ts";
import { getCounts } from "../../services/approvals/links/settings.ts";
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
): SentLink => ({
  workspace,
  id,
  resumeId,
  approver,
  signature,
});

/** What came as a body: JSON, a form, or nothing at all, which is an empty object. */
export async function bodyPayload(payload: Payload): Promise<unknown> {
  const body = payload.bytes.toString("utf8").trim();
  if (body === "") return {};
  const type = payload.headers["content-type"] ?? "";
  if (!/form-urlencoded|multipart/i.test(type)) return parseJson(body);
  return (await argumentsOf(payload, { wrapBody: false, raw: false, headers: [], query: [] })).args;
}

const reasonIn = (payload: unknown): { reason?: string } => {
  const reason = (payload as { reason?: unknown } | null)?.reason;
  return typeof reason === "string" ? { reason: reason.slice(0, 2000) } : {};
};

async function decide(auth: Auth, link: SentLink, approved: boolean, payload: unknown): Promise<Reply> {
  return text(201, await decideByLink(c, link, auth.actor, { approved, payload, ...(approved ? {} : reasonIn(payload)) }));
}

/** To the page: it shows what the link is for, and decides nothing. */
function toPage({ signature, ...link }: SentLink): Reply {
  return text(303, "Decide on the page.", { Location: urlsOf(c.baseUrl, link, signature).approvalPage, "Cache-Control": "no-store" });
}

async function byGet(auth: Auth, link: SentLink, headers: Payload["headers"], approved: boolean, sent: string | undefined): Promise<Reply> {
  if (!(await isApprovalGet(headers, () => getCounts(c, link.workspace)))) return toPage(link);
  return decide(auth, link, approved, jsonInParameter(sent));
}

export const links: ApproveRoutes = [
  on(routes.resumeByLink, async ({ auth, params, query, payload }) =>
    decide(auth, linkOf(params, query), true, await bodyPayload(payload)),
  ),
  on(routes.cancelByLink, async ({ auth, params, query, payload }) =>
    decide(auth, linkOf(params, query), false, await bodyPayload(payload)),
  ),
  on(routes.resumeByGet, ({ auth, params, query, headers }) => byGet(auth, linkOf(params, query), headers, true, query.payload)),
  on(routes.cancelByGet, ({ auth, params, query, headers }) => byGet(auth, linkOf(params, query), headers, false, query.payload)),
];
