import * as z from "zod";
import { SvcError } from "../../../contract/errors.ts";
import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import { type Gate, gateEventSchema, isOpen, recordApproval, recordRejection, UNNAMED_APPROVER } from "../../../core/approvals/gate.ts";
import { childPrefix, childRef } from "../../../core/jobs/lists/child-items.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { parseReadable, recordFormat } from "../../../core/records/record-format.ts";
import type { Uses } from "../../uses.ts";
import { loadApproverByEmail } from "../decisions/approver.ts";
import { authorizeDecision } from "../decisions/authorize-decision.ts";
import { isPayloadAccepted } from "../decisions/check-payload.ts";
import { changeGate, type GateWithFlow } from "./change-gate.ts";

/** A decision that was made before a step of the flow requested it. `rejects` marks a rejection. */
const preApprovalSchema = z.object({ event: gateEventSchema, rejects: z.object({ reason: z.string().optional() }).optional() });
export type PreApproval = z.infer<typeof preApprovalSchema>;
const preApprovalFormat = recordFormat({ schema: preApprovalSchema, version: 1 });

const preApprovalRef = ({ event }: PreApproval) => childRef("preApproval", String(event.resumeId ?? event.email));

/** Another gate has used the pre-approval. */
class PreApprovalTakenError extends Error {
  override readonly name = "Taken";
}

/**
 * Stores a decision for the next step of a flow that requests one. Idempotent. Throws `approval.over` for a flow that has ended, and
 * `approval.used` if the link was used for another decision before.
 */
export async function storePreApproval({ jobs, objects }: Uses<"jobs" | "objects">, flow: Job, early: PreApproval): Promise<void> {
  const ref = preApprovalRef(early);
  const item = { parent: flow.id, ref, json: preApprovalFormat.toJson(early), expiresAtS: Math.ceil(flow.expiresAtMs / 1000) };
  const notEnded = { or: [{ attr: "state", eq: "running" } as const, { attr: "state", eq: "queued" } as const] };
  const refused = await objects.transactWrite([{ raw: jobs.checkParams(flow.id, notEnded) }, { raw: jobs.putChildParams(item, "absent") }]);
  if (refused === undefined) return;
  if (refused === 0) throw new SvcError("approval.over", { id: flow.id, state: (await jobs.get(flow.id))?.state ?? "gone" });
  const stored = await jobs.getChild(flow.id, ref);
  const { event } = stored ? preApprovalFormat.parse(stored) : early;
  if (event.payloadDigest === early.event.payloadDigest) return;
  throw new SvcError("approval.used", { by: event.approver ?? UNNAMED_APPROVER, at: new Date(event.atMs).toISOString() });
}

/**
 * Applies the stored decisions of a flow to a gate, in the order of their arrival, until the gate is decided. Decisions of people who may not
 * decide this gate, and approvals with values that its form refuses, remain for later gates.
 */
export async function applyPreApprovals(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "nowMs">,
  start: GateWithFlow,
  module: FlowModule,
): Promise<Gate> {
  let { gate } = start;
  if (!isOpen(gate) || gate.opened.kind !== "suspend") return gate;
  const stored = parseReadable(await deps.jobs.listChildren(start.flow.id, childPrefix.preApproval), preApprovalFormat.parse);
  stored.sort(([, a], [, b]) => a.event.atMs - b.event.atMs);
  for (const [{ ref }, early] of stored) {
    if (!isOpen(gate)) break;
    const who = await loadApproverByEmail(deps, early.event.email, gate.workspace);
    const decided = { rules: gate.opened.rules, gate, flow: start.flow };
    if ((await authorizeDecision(deps, decided, who, { by: "link", mayStop: false })) !== "yes") continue;
    if (!early.rejects && !(await isPayloadAccepted(deps, { gate, flow: start.flow, module }, early.event))) continue;
    gate = await applyPreApproval(deps, { gate, flow: start.flow }, module, { ref, early });
  }
  return gate;
}

/** Moves a decision from the flow to the gate in one transaction, so that two gates cannot both use it. */
async function applyPreApproval(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "nowMs">,
  from: GateWithFlow,
  module: FlowModule,
  { ref, early: { event, rejects } }: { ref: string; early: PreApproval },
): Promise<Gate> {
  const { jobs } = deps;
  const { id } = from.flow;
  const rule = (gate: Gate): Gate => {
    const atMs = deps.nowMs();
    if (!rejects) return recordApproval(gate, { ...event, atMs });
    const { approver: by, email, payload } = event;
    return recordRejection(gate, { approver: by, email, ...rejects, atMs, payload });
  };
  try {
    const { gate } = await changeGate(deps, { ...from, module }, rule, async () => {
      if (!(await jobs.getChild(id, ref))) throw new PreApprovalTakenError();
      return [{ raw: jobs.takeParams(id, ref) }];
    });
    return gate;
  } catch (error) {
    const passed = error instanceof PreApprovalTakenError || (error instanceof SvcError && error.code !== "approval.over");
    if (passed) return from.gate;
    throw error;
  }
}
