import type { Decision, Gate, GateEvent } from "../../core/approvals/gate.ts";
import type { Recorded } from "../../core/approvals/record.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Gating, With } from "./gates.ts";
import { recordParts } from "./record.ts";

/** What is written with a decision, or with an approval on the way to one: its entry in the run's record, and the notice of the decision. */
export async function recorded(gating: Gating, flow: Job, before: Gate, after: Gate): Promise<With> {
  const what = entryOf(flow, before, after);
  const decides = after.decision !== undefined && before.decision === undefined && before.opened !== undefined;
  return {
    parts: what ? (await recordParts(gating, what)).map(({ write }) => write) : [],
    notices: decides ? [after.decision?.how === "expired" ? "expired" : "decided"] : [],
  };
}

function entryOf(flow: Job, before: Gate, after: Gate): Recorded | undefined {
  const { workspace, root, id: gate, module, opened, decision } = after;
  const event = after.events.length > before.events.length ? after.events.at(-1) : undefined;
  const fresh = before.decision ? undefined : decision;
  if (!event && (!fresh || fresh.how === "approved")) return undefined;
  return {
    workspace,
    root,
    flow: flow.id,
    gate,
    module,
    ...(flow.path === undefined ? {} : { flowPath: flow.path }),
    ...(flow.flow?.version === undefined ? {} : { flowVersion: flow.flow.version }),
    ...codeOf(opened?.code ?? flow.hash),
    what: event ? "approved" : (fresh?.how ?? "expired"),
    decides: fresh !== undefined,
    ...(opened ? { shown: opened.shown } : {}),
    ...(event ? byEvent(event, isErased(flow)) : byDecision(fresh)),
  };
}

const codeOf = (code: string | undefined) => (code === undefined ? {} : { code });

/** What is to leave nothing stands in no record either, but for its digest. */
const isErased = ({ eraseAfterS, erasesSteps }: Job) => eraseAfterS !== undefined || erasesSteps !== undefined;

function byEvent({ approver: name, email, resumeId, atMs, digest, of, payload, reason }: GateEvent, erased: boolean) {
  return {
    who: { ...(name ? { name } : {}), ...(email ? { email } : {}), ...(resumeId === undefined ? {} : { resumeId }) },
    atMs,
    values: { digest, of, ...(erased && payload.in === "head" ? {} : { place: payload }) },
    ...(reason ? { reason } : {}),
  };
}

function byDecision(decision: Decision | undefined) {
  const { by: name, email, reason, atMs = 0 } = decision ?? {};
  return { who: { ...(name ? { name } : {}), ...(email ? { email } : {}) }, atMs, ...(reason ? { reason } : {}) };
}
