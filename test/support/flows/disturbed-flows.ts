import { randomUUID } from "node:crypto";
import { newFlowSchema } from "../../../contract/routes/flows/flows.ts";
import { newScriptSchema } from "../../../contract/routes/stored/script.ts";
import { isOpen } from "../../../core/approvals/gate.ts";
import { flowHeadObject } from "../../../core/flows/version.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { handleJobMessage } from "../../../services/execution/handle-job-message.ts";
import { deleteFlow, setFlowArchived } from "../../../services/flows/definitions/archive.ts";
import { loadPlan, parseFlow } from "../../../services/flows/definitions/load.ts";
import { saveFlow } from "../../../services/flows/definitions/save.ts";
import { createFolder } from "../../../services/folders/folders.ts";
import { cancelJob } from "../../../services/jobs/cancel/cancel-job.ts";
import { archiveScript, deleteScript } from "../../../services/scripts/archive.ts";
import { createScript, updateScript } from "../../../services/scripts/create.ts";
import { CODE, type DrawnFlow, type DrawnModule } from "../../builders/random-flows.ts";
import type { Witness } from "../jobs/witness.ts";
import { Cloud } from "../use-cases/aws/cloud.ts";
import { failure, type World } from "../use-cases/world.ts";
import { approveGate, endOfFlow, gates, startFlow } from "../use-cases/world-flows.ts";
import { addJob, listJobs, resumeDue, work } from "../use-cases/world-jobs.ts";
import { anAdmin } from "../use-cases/world-people.ts";
import { newScriptWorld } from "../use-cases/world-scripts.ts";
import { type Interpreted, interpret } from "./flow-interpreter.ts";

/** The moment of a disturbance: a call of a script while it runs, a state that is entered, or a time at which the run waits for a decision. `part`: a share of all of them, from 0 to 1. */
export interface Moment {
  at: "call" | "state" | "wait";
  part: number;
}

/** One run of a flow as it is disturbed. */
interface Disturbed {
  world: World;
  run: string;
  /** The paths of the flow and of the script that it names. */
  flow: string;
  script: string;
  value: DrawnFlow;
  /** The job of the script that runs at that moment. */
  job?: string | undefined;
}

/** The effect that the model expects. `missing`: steps that begin later do not find the script. */
type Effect = "none" | "canceled" | "missing" | "none or deleted";
interface Disturbance {
  effect: Effect;
  disturb: (run: Disturbed) => Promise<unknown>;
}

export const MARK = { by: "ann", reason: "wrong customer" };
const callerOf = ({ world }: Disturbed) => ({ actor: anAdmin, workspace: world.workspace });
/** A script whose jobs take slots of a concurrency group, or none without a limit. */
const aScript = (path: string, limit?: number) =>
  newScriptSchema.parse({
    path,
    summary: "",
    content: CODE,
    language: "bun",
    ...(limit === undefined ? {} : { concurrent_limit: limit, concurrency_time_window_s: 60 }),
  });
const aFlowAt = (path: string, value: object) => newFlowSchema.parse({ path, summary: "", value });

async function cancel({ world }: Disturbed, id: string, force = false): Promise<void> {
  const job = await world.deps.jobs.get(id);
  if (job && !hasEnded(job)) await cancelJob(world.deps, job, { ...MARK, force });
}

/** Empties the cache of plans, as if each later call of a function were the first one of its process. */
export async function forgetPlans(): Promise<void> {
  const storage = {
    getObjectText: async () => JSON.stringify({ value: { modules: [] }, scripts: {} }),
  } as unknown as World["deps"]["storage"];
  for (let plan = 0; plan < 60; plan += 1) await loadPlan({ storage }, `forgotten/${randomUUID()}`);
}

export const disturbances: Record<string, Disturbance> = {
  "the run is canceled": { effect: "canceled", disturb: (run) => cancel(run, run.run) },
  "the run is canceled twice at once": {
    effect: "canceled",
    disturb: (run) => Promise.allSettled([cancel(run, run.run), cancel(run, run.run)]),
  },
  "the job of a step is canceled": { effect: "canceled", disturb: (run) => cancel(run, run.job ?? run.run, true) },
  "the flow is deleted": {
    effect: "none or deleted",
    disturb: (run) => deleteFlow(run.world.deps, { actor: anAdmin, workspace: run.world.workspace, path: run.flow }),
  },
  "the flow is deleted, and all processes end": {
    effect: "none or deleted",
    disturb: async (run) => {
      await deleteFlow(run.world.deps, { actor: anAdmin, workspace: run.world.workspace, path: run.flow });
      await forgetPlans();
    },
  },
  "the flow is archived": { effect: "none", disturb: (run) => setFlowArchived(run.world.deps, { ...callerOf(run), path: run.flow }, true) },
  "the flow is moved": {
    effect: "none",
    disturb: (run) => saveFlow(run.world.deps, { ...callerOf(run), at: run.flow }, aFlowAt(`${run.flow}-moved`, run.value)),
  },
  "another version of the flow is saved": {
    effect: "none",
    disturb: (run) => saveFlow(run.world.deps, { ...callerOf(run), at: run.flow }, aFlowAt(run.flow, { modules: [] })),
  },
  "the script is deleted": {
    effect: "missing",
    disturb: (run) => deleteScript(run.world.deps, { actor: anAdmin, workspace: run.world.workspace, path: run.script }),
  },
  "the script is archived": {
    effect: "missing",
    disturb: (run) => archiveScript(run.world.deps, { actor: anAdmin, workspace: run.world.workspace, path: run.script }),
  },
  "the script is moved": {
    effect: "missing",
    disturb: (run) => updateScript(run.world.deps, { ...callerOf(run), path: run.script }, aScript(`${run.script}-moved`)),
  },
};

/** Lets steps name a script, sleep, wait for a decision, and wait before they are repeated; `traits` selects which of them. */
function withTraits({ modules, failure_module: failing }: DrawnFlow, script: string, traits: readonly number[]): DrawnFlow {
  let count = 0;
  const change = (module: DrawnModule): DrawnModule => {
    const trait = traits[count % traits.length] ?? 0;
    count += 1;
    const value = inside(module.value) as { type: string; input_transforms?: object };
    const named =
      value.type === "rawscript" && trait % 2 === 1 ? { type: "script", path: script, input_transforms: value.input_transforms } : value;
    const isCall = value.type === "rawscript";
    const waits = isCall && !("stop_after_if" in module) && trait % 3 === 0 ? { suspend: { required_events: 1, timeout: 3600 } } : {};
    const sleeps = isCall && trait % 5 === 0 ? { sleep: { type: "static", value: 2 } } : {};
    const { retry } = module as { retry?: { constant: object } };
    const later = retry && trait % 2 === 0 ? { retry: { ...retry, constant: { ...retry.constant, seconds: 2 } } } : {};
    return { ...module, ...waits, ...sleeps, ...later, value: named };
  };
  const inside = (value: object): object =>
    Object.fromEntries(
      Object.entries(value).map(([name, field]) => {
        if (name === "branches")
          return [name, (field as { modules: DrawnModule[] }[]).map((one) => ({ ...one, modules: one.modules.map(change) }))];
        return [name, name === "modules" || name === "default" ? (field as DrawnModule[]).map(change) : field];
      }),
    );
  return { modules: modules.map(change), ...(failing ? { failure_module: failing } : {}) };
}

/** A world whose scripts run in this process, with a folder for the flows and scripts of the test. */
export async function newDisturbedWorld(): Promise<World> {
  const world = await newScriptWorld();
  await createFolder(world.deps, anAdmin, world.workspace, { name: "t" } as Parameters<typeof createFolder>[3]);
  return world;
}

export interface Played {
  state: string;
  result: unknown;
  calls: Record<string, number>;
  /** Whether the moment came before the end, and the calls that had begun by then. */
  struckAfter: number | undefined;
  run: string;
  /** The executions that still run after the end. */
  left: unknown[];
  cancel: unknown;
  expected: Interpreted;
}

const ROUNDS_MOST = 100;
const HOURS_MS = 2 * 3_600_000;

/** Saves a flow with its script, runs it and disturbs it at a moment. */
export async function playDisturbed(
  { world, witness }: { world: World; witness: Witness },
  {
    flow: drawn,
    traits,
    moment,
    disturbance,
    events,
  }: { flow: DrawnFlow; traits: readonly number[]; moment: Moment; disturbance: Disturbance; events: number },
): Promise<Played> {
  const { deps, workspace } = world;
  const id = randomUUID();
  const [flow, script] = [`f/t/flow-${id}`, `f/t/script-${id}`];
  const value = withTraits(drawn, script, traits);
  const caller = { actor: anAdmin, workspace };
  // Versions are named by the clock.
  world.clock.nowMs += 10_000;
  await createScript(deps, caller, aScript(script, (traits[0] ?? 0) % 2 === 0 ? 1000 : undefined));
  await saveFlow(deps, caller, aFlowAt(flow, value));
  await work(world);
  const head = parseFlow(await deps.objects.get(flowHeadObject.key(workspace, flow)));
  if (head?.build.state !== "ready") throw new Error(`The flow was not built: ${JSON.stringify(head?.build)}`);
  const input = { x: 7, run: id, url: witness.url };
  const { id: run } = await addJob(world, {
    id: randomUUID(),
    kind: "flow",
    path: flow,
    args: { in: "head", json: JSON.stringify(input) },
    flow: { execution: 0, version: head.version },
    hash: undefined,
    language: undefined,
    tag: "flow",
    timeoutS: 3600 * 24,
  });

  const total = [...interpret(value, input).calls.values()].reduce((sum, times) => sum + times, 0);
  // A call has one or two states, and a machine has two more.
  const most = { call: total, state: 2 * total + 2, wait: Math.min(total, 2) };
  const nth = 1 + Math.floor(moment.part * most[moment.at]);
  const seen = { call: 0, state: 0, wait: 0 };
  let struckAfter: number | undefined;
  const pass = async (at: Moment["at"], job?: string): Promise<boolean> => {
    seen[at] += 1;
    if (at !== moment.at || seen[at] !== nth) return false;
    const now = await deps.jobs.get(run);
    if (!now || hasEnded(now)) return false;
    struckAfter = seen.call;
    await disturbance.disturb({ world, run, flow, script, value, job });
    return true;
  };
  const answer = world.answers.run;
  world.answers.run = async (request) => {
    const isStruck = await pass("call", request.job);
    if (isStruck && disturbance.effect === "canceled") return failure("killed");
    return answer(request);
  };
  const cloud = new Cloud(world, { onEnter: async () => void (await pass("state")) });
  const started = world.started.length;
  try {
    await handleJobMessage(deps, { job: run });
    for (const execution of world.started.slice(started)) execution.input = { ...(execution.input as object), events };
    for (let round = 0; ; round += 1) {
      await cloud.playUntilQuiet();
      const now = await deps.jobs.get(run);
      if (!now || hasEnded(now)) break;
      const open = (await gates(world, run)).filter(isOpen);
      if (open.length === 0 || round > ROUNDS_MOST) throw new Error(`The run is ${now.state}, and nothing moves.`);
      await pass("wait");
      cloud.noteChange();
      const decided = await Promise.allSettled(open.map((gate) => approveGate(world, gate)));
      if (decided.some(({ status }) => status === "fulfilled")) continue;
      world.clock.nowMs += HOURS_MS;
      await resumeDue(world);
    }
    await cloud.play(run);
  } finally {
    world.answers.run = answer;
  }

  const job = await deps.jobs.get(run);
  if (!job || !hasEnded(job)) throw new Error("The run has not ended.");
  const calls: Record<string, number> = {};
  for (const { what } of witness.reports) if (what.startsWith(id)) calls[what] = (calls[what] ?? 0) + 1;
  const left = [
    ...world.started
      .slice(started)
      .filter(({ is }) => is === "running")
      .map((one) => ["execution", one.execution]),
  ];
  const missing = disturbance.effect === "missing" && struckAfter !== undefined ? { after: struckAfter, path: script } : undefined;
  return {
    ...(await endOfFlow(world, run)),
    run,
    cancel: job.cancel,
    calls,
    struckAfter,
    left,
    expected: interpret(value, input, missing),
  };
}

/** Disturbs a run while its first step waits for the only slot of its script, lets the slot become free, and returns the end of the run. */
export async function playWaitingForSlot({ world, witness }: { world: World; witness: Witness }, { disturb }: Disturbance) {
  const { deps, workspace } = world;
  const id = randomUUID();
  const script = `f/t/slot-${id}`;
  world.clock.nowMs += 10_000;
  await createScript(deps, { actor: anAdmin, workspace }, aScript(script, 1));
  await work(world);
  const at = { type: "javascript", expr: "flow_input.at" };
  const inputs = { at, fails: { type: "static", value: 0 }, v: { type: "static", value: "done" } };
  const value = { modules: [{ id: "a", value: { type: "script", path: script, input_transforms: inputs } }] };
  const start = () => startFlow(world, value, { at: `${witness.url}/${id}` });
  await new Cloud(world).play(await start());
  const run = await start();
  const cloud = new Cloud(world, { looks: 10 });
  await cloud.playUntilQuiet();
  const jobs = await listJobs(world);
  const waiting = jobs.find(({ root, state }) => root === run && state === "queued");
  if (!waiting) throw new Error("No step waits for a slot.");
  await disturb({ world, run, flow: "", script, value, job: waiting.id });
  cloud.noteChange();
  await cloud.play(run);
  const left = (await listJobs(world)).filter((job) => job.root === run && !hasEnded(job));
  return { ...(await endOfFlow(world, run)), cancel: (await deps.jobs.get(run))?.cancel, calls: witness.count(id), left };
}
