import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { Child } from "../../../aws/dynamodb/job-items.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { createGate, type Gate, gateDueAtMs, gateSchema, isOpen, waitsInChat } from "../../../core/approvals/gate.ts";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import { ROOT } from "../../../core/flows/scopes.ts";
import { childPrefix, childRef } from "../../../core/jobs/lists/child-items.ts";
import type { Job, RunningJob } from "../../../core/jobs/record/job.ts";
import { flowDueMs } from "../../../core/jobs/record/lifecycle.ts";
import type { RequestContent } from "../../../core/notifications/request-content.ts";
import { write } from "../../../core/objects/write.ts";
import { parseReadable, recordFormat } from "../../../core/records/record-format.ts";
import type { TransactionWrite } from "../../../ports/object-store.ts";
import { buildNoticeWrite } from "../../outbox/notice.ts";
import type { Uses } from "../../uses.ts";
import { buildAuditLogWrites, notificationsFor } from "../audit-log/entry.ts";
import type { ApprovalRequest } from "./find-approval-request.ts";

/** A gate and the job of its flow. */
export interface GateWithFlow {
  gate: Gate;
  flow: Job;
}

export const GATE_CHILD = "gate";

const gateFormat = recordFormat({ schema: gateSchema, version: 1 });
/** The flow's job to which a gate of a run belongs, stored with the run's first job. */
const gatePointerFormat = recordFormat({ schema: z.object({ flow: z.string() }), version: 1 });

/** Loads a gate and the job with the same id; each is `undefined` if it does not exist. */
export async function loadGateAndJob({ jobs }: Uses<"jobs">, id: string): Promise<{ gate: Gate | undefined; job: Job | undefined }> {
  const { job, items } = await jobs.getWith(id, [GATE_CHILD]);
  const child = items.get(GATE_CHILD);
  return { job, gate: child && gateFormat.parse(child) };
}

/** Loads a gate; `undefined` if it does not exist. */
export async function loadGate({ jobs }: Uses<"jobs">, id: string): Promise<Gate | undefined> {
  const child = await jobs.getChild(id, GATE_CHILD);
  return child && gateFormat.parse(child);
}

/** Loads a gate for a list. A gate that cannot be read is reported and left out. */
export async function loadReadableGate({ jobs }: Uses<"jobs">, id: string): Promise<Gate | undefined> {
  const child = await jobs.getChild(id, GATE_CHILD);
  return parseReadable(child ? [child] : [], gateFormat.parse).map(([, gate]) => gate)[0];
}

/** Lists the ids of the gates that have opened in a run. */
export async function listGateIds({ jobs }: Uses<"jobs">, root: string): Promise<string[]> {
  return (await jobs.listChildren(root, childPrefix.gatePointer)).map(({ ref }) => ref.slice(childPrefix.gatePointer.length));
}

/** Loads the gates that have opened in a run, or in one `flow` of it, the earliest first. */
export async function loadGatesOfRun({ jobs }: Uses<"jobs">, root: string, flow?: string): Promise<Gate[]> {
  const pointers = parseReadable(await jobs.listChildren(root, childPrefix.gatePointer), gatePointerFormat.parse);
  const selected = pointers.filter(([, pointer]) => flow === undefined || pointer.flow === flow);
  const gates = await Promise.all(selected.map(([{ ref }]) => loadGate({ jobs }, ref.slice(childPrefix.gatePointer.length))));
  return gates.flatMap((gate) => gate ?? []).sort((a, b) => (a.opened?.atMs ?? 0) - (b.opened?.atMs ?? 0));
}

/**
 * Changes a gate by a rule of `core/approvals/gate.ts`. One transaction also writes the counts of the flow's job, the list of open gates, the
 * audit log and the notices. Then the waiting task is resumed; if that call is lost, a repeated decision finds the gate decided and resumes the
 * task again. `also` builds further writes for each attempt. Throws the errors of the rule, and `approval.over` for a flow that has ended.
 */
export async function changeGate(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "nowMs">,
  { module, ...start }: ApprovalRequest,
  rule: (gate: Gate) => Gate,
  also: () => Promise<TransactionWrite[]> = async () => [],
): Promise<GateWithFlow> {
  let { gate, flow } = start;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const ruled = withSettledOutcome(gate, await applyRule(deps, gate, rule));
    // A rule may consist of several changes, such as a reminder and an escalation. They are written as one.
    const changed = ruled === gate ? gate : { ...ruled, revision: gate.revision + 1 };
    if (changed === gate) {
      await resumeGateTask(deps, gate);
      return { gate, flow };
    }
    if (flow.state !== "running") throw new SvcError("approval.over", { id: flow.id, state: flow.state });
    const request = { gate: changed, flow, module };
    const whats = notificationsFor(gate, changed);
    // An outcome repeats no content: the person who started the run knows it.
    const content = whats.length > 0 && isOpen(changed) ? await loadContent(deps, request) : {};
    const notices = whats.map((noticeKind) => buildNoticeWrite(deps.nowMs(), noticeKind, request, content));
    const parts = [
      ...buildGateWrites(deps, { gate: changed, flow }, gate),
      ...notices,
      ...(await buildAuditLogWrites(deps.objects, flow, gate, changed)),
      ...(await also()),
    ];
    if ((await deps.objects.transactWrite(parts)) === undefined) {
      await resumeGateTask(deps, changed);
      return { gate: changed, flow };
    }
    // A random pause spreads the retries of the writers that lost.
    await sleep(Math.random() * 5 * Math.min(tries, 10));
    ({ gate, flow } = await reload(deps, start));
  }
  throw new SvcError("write.collided", {});
}

/** Loaded on first use: most calls of the functions that change gates open none. */
async function loadContent(deps: Uses<"gatedFlows" | "jobs" | "storage">, request: ApprovalRequest): Promise<RequestContent> {
  const { loadRequestContent } = await import("./load-request-content.ts");
  return loadRequestContent(deps, request);
}

/** Each lost attempt means that another writer succeeded, and a gate accepts at most a hundred approvals. */
const TRIES = 120;

/** If only the next step follows from an approval, the step's outcome is written with it, so that the state machine continues at once. */
function withSettledOutcome(before: Gate, after: Gate): Gate {
  const passes = isOpen(before) && after.decision?.outcome === "approved";
  return passes && before.opened.continuesDirectly && after.state !== undefined ? { ...after, settled: true } : after;
}

/** A refused change may repeat one whose resume call was lost, so the task is resumed again. */
async function applyRule(deps: Uses<"gatedFlows">, gate: Gate, rule: (gate: Gate) => Gate): Promise<Gate> {
  try {
    return rule(gate);
  } catch (error) {
    await resumeGateTask(deps, gate);
    throw error;
  }
}

async function reload({ jobs }: Uses<"jobs">, { gate, flow }: GateWithFlow): Promise<GateWithFlow> {
  const [fresh, job] = await Promise.all([loadGate({ jobs }, gate.id), jobs.get(flow.id)]);
  if (!job) throw new SvcError("approval.over", { id: flow.id, state: "gone" });
  return { gate: fresh ?? createGate(gate), flow: job };
}

/** Resumes the task that waits at a decided gate. A repeated or late call changes nothing. */
export async function resumeGateTask({ gatedFlows }: Uses<"gatedFlows">, gate: Gate): Promise<void> {
  if (gate.decision && gate.token !== undefined) await gatedFlows.resumeTask(gate);
}

const running = { attr: "state", eq: "running" } as const;
const rawWrite = (params: object) => ({ raw: params }) as TransactionWrite;

/**
 * Builds the writes of a changed gate: the gate, the head of its flow, the pointer from the run, the outcome and the list of open gates.
 */
function buildGateWrites(
  { jobs, nowMs, gatedFlows }: Uses<"gatedFlows" | "jobs" | "nowMs">,
  { gate, flow }: GateWithFlow,
  before: Gate,
): TransactionWrite[] {
  const { id, workspace, root, revision: version, expiresAtMs } = gate;
  const expiresAtS = Math.ceil(expiresAtMs / 1000);
  const item: Child = { parent: id, ref: GATE_CHILD, json: gateFormat.toJson(gate), version, expiresAtS };
  const gateWrite = rawWrite(jobs.putChildParams(item, version === 1 ? "absent" : { after: version - 1 }));
  const opens = isOpen(gate) && !before.opened;
  const closes = isOpen(before) && gate.decision !== undefined;
  const counter = gate.opened?.kind === "consent" ? "consents" : "suspends";
  const holds = isOpen(gate) && gate.token !== before.token;
  const now = nowMs();
  // While a token is awaited the flow is checked soon, even if the gate is decided: without a token nothing can resume the execution. Once the
  // task waits, the flow is checked rarely, and soon again after the task has resumed.
  const awaits = gate.awaitsToken !== undefined;
  const sendsToken = awaits && gate.awaitsToken?.execution !== before.awaitsToken?.execution;
  const waits = { ...(flow as RunningJob), suspends: holds ? 1 : 0, consents: 0 };
  // If other gates wait too, reconciling the flow finds the time of the next one.
  const others = (flow.suspends ?? 0) + (flow.consents ?? 0) > (opens ? 0 : 1);
  const checkAtMs =
    opens || awaits || others ? now + limits.taskTokenMs : flowDueMs(waits, now, { waitsAlone: holds && gate.scope === ROOT });
  const due = { dueAtMs: Math.min(checkAtMs, gateDueAtMs(gate) ?? checkAtMs) };
  const counted = opens ? { [counter]: jobs.oneMore } : closes ? { [counter]: jobs.oneLess } : {};
  const inChats = Number(waitsInChat(gate)) - Number(waitsInChat(before));
  const countedInChats = inChats === 0 ? {} : { chats: inChats > 0 ? jobs.oneMore : jobs.oneLess };
  const isHeld = opens || closes || holds || sendsToken;
  const head =
    isHeld || inChats !== 0
      ? jobs.updateParams(flow.id, { ...counted, ...countedInChats, ...(isHeld ? due : {}) }, running)
      : jobs.checkParams(flow.id, running);
  const pointer = { parent: root, ref: childRef("gatePointer", id), json: gatePointerFormat.toJson({ flow: gate.flow }), expiresAtS };
  return [
    gateWrite,
    rawWrite(head),
    ...(gate.opened && !before.opened ? [rawWrite(jobs.putChildParams(pointer))] : []),
    ...(gate.settled && gate.opened && !before.settled
      ? [rawWrite(jobs.putChildParams(gatedFlows.outcomeItem(gate, gate.opened, expiresAtS)))]
      : []),
    ...(opens ? [write.put({ ...pendingGateObject.key(workspace, id), value: { flow: gate.flow }, expiresAtS })] : []),
    ...(closes ? [write.remove(pendingGateObject.key(workspace, id))] : []),
  ];
}
