import { randomUUID } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import type { Gate } from "../../../core/approvals/gate.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import { flowHeadObject, flowVersionObject, type RunnableFlow, runnableFlowSchema } from "../../../core/flows/version.ts";
import { hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import type { Person } from "../../../core/people/actor.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { type NextOutcome, nextArguments } from "../../../runners/protocol.ts";
import { approverFrom } from "../../../services/approvals/decisions/approver.ts";
import { decideRequest } from "../../../services/approvals/decisions/decide.ts";
import { loadGatesOfRun } from "../../../services/approvals/gates/change-gate.ts";
import { findApprovalRequestOfGate } from "../../../services/approvals/gates/find-approval-request.ts";
import { handleJobMessage } from "../../../services/execution/handle-job-message.ts";
import { runTask } from "../../../services/flows/runtime/run-task.ts";
import { loadValue } from "../../../services/jobs/values/values.ts";
import { aFlow } from "../../builders/flows.ts";
import { newWorld, type RecordedExecution, success, type World } from "./world.ts";
import { addJob, addScript, addWorkspace } from "./world-jobs.ts";

/** A world of flows, and the results of all scripts that ran, in their order. */
export interface FlowWorld extends World {
  results: unknown[];
}

/** A world with a workspace and a script, which returns its argument `x`. It also runs the scripts that follow it in a batch. */
export async function newFlowWorld(): Promise<FlowWorld> {
  const world = await newWorld();
  await addWorkspace(world);
  const { build, ...value } = await addScript(world);
  await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, value.path), value, build });
  const results: unknown[] = [];
  const resultOf = ({ x = null }: { x?: unknown }) => {
    results.push(x);
    return x;
  };
  world.answers.run = async ({ args, next }) => {
    const [first, outcomes] = [success(resultOf(args)), [] as NextOutcome[]];
    if (first.kind !== "outcome" || !next) return first;
    const batch: unknown[] = [first.outcome.result];
    for (const { args: following } of next.runs) {
      const made = nextArguments(following, batch);
      if (!made) break;
      batch.push(resultOf(made));
      const atMs = world.clock.nowMs;
      outcomes.push({ ...first.outcome, result: batch.at(-1), startedAtMs: atMs, endedAtMs: atMs });
    }
    return { ...first, outcome: { ...first.outcome, next: outcomes } };
  };
  return { ...world, results };
}

/** Adds a version of a flow at a path, which runs and other flows can start, and returns the version. */
export async function addFlow(
  { deps, workspace }: World,
  path: string,
  sent: object[] | object,
  fields: Partial<RunnableFlow> = {},
): Promise<RunnableFlow> {
  const [version, plan] = [Math.floor(Math.random() * 1e9), `flows/${workspace}/${randomUUID()}/plan.json`];
  await deps.storage.putObject(
    plan,
    JSON.stringify({ value: aFlow(Array.isArray(sent) ? { modules: sent } : sent), scripts: {} }),
    "application/json",
  );
  const build = { state: "ready" as const, job: randomUUID(), plan };
  const flow = runnableFlowSchema.parse({
    workspace,
    path,
    version,
    hash: version.toString(16),
    tag: "flow",
    archived: false,
    build,
    ...fields,
  });
  const { build: _, ...value } = flow;
  await Promise.all([
    deps.objects.put({ ...flowHeadObject.key(workspace, path), value, version: String(version), build }),
    deps.objects.put({ ...flowVersionObject.key(workspace, version), value, version: String(version), build }),
  ]);
  return flow;
}

/** The job of a flow with a started execution. */
export async function startFlow(
  world: World,
  value: object[] | object,
  args: object = {},
  {
    timeoutS = limits.flowTimeoutS,
    ...fields
  }: Pick<
    Partial<Job>,
    "timeoutS" | "priority" | "preprocess" | "trigger" | "triggerPath" | "schedulePath" | "email" | "permissionedAs" | "superAdmin"
  > = {},
): Promise<Job["id"]> {
  const flow = aFlow(Array.isArray(value) ? { modules: value } : value);
  const { id } = await addJob(world, {
    id: randomUUID(),
    kind: "flowpreview",
    code: { in: "head", json: JSON.stringify({ flow }) },
    args: { in: "head", json: JSON.stringify(args) },
    hash: undefined,
    language: undefined,
    tag: "flow",
    timeoutS,
    ...fields,
  });
  await handleJobMessage(world.deps, { job: id });
  return id;
}

type CallTask = typeof runTask;

/** The position of an execution: the n-th module, and the token for which it waits. */
interface Position {
  module: number;
  state: StepState;
  token?: string;
}
const positions = new WeakMap<RecordedExecution, Position>();

/**
 * Runs every execution of a world like the machine of a sequential flow, until each has ended or waits. A failed call of a module is
 * repeated. A call with a token is made once, and its failure is ignored, as by the local engine. `call` makes the calls.
 */
export async function playExecutions(world: World, call: CallTask = runTask): Promise<void> {
  for (let moved = true; moved; ) {
    moved = false;
    for (const execution of world.started) if (execution.is === "running" && (await advance(world, execution, call))) moved = true;
  }
}

async function advance(world: World, execution: RecordedExecution, call: CallTask): Promise<boolean> {
  const { deps } = world;
  const position = positions.get(execution) ?? { module: 0, state: execution.input as StepState };
  const move = (to: Position) => {
    positions.set(execution, to);
    return true;
  };
  if (position.token !== undefined) {
    const resumed = world.resumed.find(({ token }) => token === position.token);
    if (!resumed) return false;
    const state = resumed.output as StepState;
    return move({ module: state.outcome === "next" ? position.module + 1 : position.module, state });
  }
  const job = await deps.jobs.get(execution.job);
  const plan =
    job?.flow?.plan === undefined
      ? undefined
      : (JSON.parse(await deps.storage.getObjectText(job.flow.plan)) as { value: { modules: { id: string }[] } });
  const { state } = position;
  const module = plan?.value.modules[position.module]?.id;
  const finish = async () => {
    await twice(() => call(deps, { finish: "flow", state })).catch(() => undefined);
    if (execution.is === "running") execution.is = "ended";
    return true;
  };
  if (module === undefined) return finish();
  const after = await twice(() => call(deps, { module, scope: "", state })).catch(() => undefined);
  if (after?.outcome === "next") return move({ module: position.module + 1, state: after });
  if (after?.outcome !== "wait") return finish();
  const token = randomUUID();
  move({ module: position.module, state: after, token });
  await call(deps, { module, scope: "", state: after, token }).catch(() => undefined);
  return true;
}

/** A state machine's own retry of a call that failed. */
const twice = <T>(call: () => Promise<T>): Promise<T> => call().catch(call);

/** The gates of a run, as they are stored. */
export const gates = ({ deps }: World, run: string): Promise<Gate[]> => loadGatesOfRun(deps, run);

/** The state and the result of a flow's job. Throws if the job has not ended. */
export async function endOfFlow({ deps }: World, run: string): Promise<{ state: string; result: unknown }> {
  const job = await deps.jobs.get(run);
  if (!job || !hasEnded(job)) throw new Error(`The flow's job is ${job?.state}, in its execution ${job?.flow?.execution}.`);
  return { state: job.state, result: JSON.parse(await loadValue(deps, job, job.result)) };
}

/** The link that a decision comes by, and what is decided. */
interface LinkDecision {
  resumeId?: number;
  approver?: string;
  approved?: boolean;
  /** The person who decides, where the link alone is not enough. */
  person?: Person;
}

/** Approves or rejects a gate, as the holder of a link or a person who is signed in does. */
export async function approveGate(
  { deps }: World,
  gate: Gate,
  payload: unknown = 1,
  { resumeId = 7, approver = "kim", approved = true, person }: LinkDecision = {},
): Promise<string> {
  const flow = await deps.jobs.get(gate.flow);
  if (!flow) throw new Error(`The flow ${gate.flow} is gone.`);
  const asked = await findApprovalRequestOfGate(deps, gate, flow);
  const link = { workspace: gate.workspace, id: gate.id, resumeId, approver, signature: "" };
  return decideRequest(
    deps,
    asked,
    { who: approverFrom(person, gate.workspace), accessPath: { by: "link", mayStop: false }, link } as Parameters<typeof decideRequest>[2],
    { approved, payload },
  );
}
