import { FAILURE, type Kept, outcomeRef } from "../../core/flows/journal.ts";
import { ROOT } from "../../core/flows/scopes.ts";
import type { FlowState } from "../../core/flows/step-call.ts";
import type { EndState, RunningJob } from "../../core/jobs/job.ts";
import { canceled, failure } from "../../core/jobs/lifecycle.ts";
import { leave } from "../jobs/concurrency.ts";
import { endKept, endWith } from "../jobs/finish.ts";
import { load } from "../jobs/places.ts";
import type { Working } from "../jobs/work.ts";
import { endIn, outcomeIn, readItems } from "./here.ts";
import { loadPlan } from "./load.ts";
import { startExecution } from "./start.ts";

/** Executions in a row that may end without a newly finished step. */
const STALLS = 3;

/** How a flow has gone, by its journal; `undefined`: it was lost on the way. */
type Verdict = { state: EndState; result: Kept } | undefined;

/** The last state of a flow's machine: its job ends, or another execution goes on. It may be called again at any time. */
export async function finishFlow(working: Working, state: FlowState): Promise<FlowState> {
  const flow = await working.jobs.get(state.j);
  // Ended, canceled by somebody who ends the record, or gone on in another execution.
  if (flow?.state !== "running" || flow.flow?.n !== state.n) return state;
  if (state.o === "again") await goOn(working, flow, flow.flow.stalls ?? 0);
  else await settleFlow(working, flow);
  return state;
}

/** Ends a flow's job as its journal says, or starts the execution that goes on with it. */
async function settleFlow(working: Working, flow: RunningJob): Promise<void> {
  if (flow.cancel) {
    await ended(working, flow, endWith(working, flow, canceled(flow.cancel)));
    return;
  }
  const verdict = await verdictOf(working, flow);
  if (verdict) {
    await ended(working, flow, endKept(working, flow, verdict.state, verdict.result));
    if (verdict.state === "failed") throw new FlowFailed(`The flow has failed: its job ${flow.id} says why.`);
    return;
  }
  const stalls = flow.flow?.stalls ?? 0;
  const steps = (await working.jobs.children(flow.id, "m#")).length;
  if (steps > (flow.flow?.steps ?? 0)) return goOn(working, flow, 0, steps);
  if (stalls + 1 < STALLS) return goOn(working, flow, stalls + 1, steps);
  const message = `The flow was lost ${STALLS} times without getting a step further; it is not tried again.`;
  await ended(working, flow, endWith(working, flow, failure({ name: "FlowLost", message })));
}

/** The execution shows as failed in the console too. */
class FlowFailed extends Error {
  override readonly name = "FlowFailed";
}

async function ended(working: Working, flow: RunningJob, ending: Promise<unknown>): Promise<void> {
  if (await ending) await leave(working, flow);
}

async function goOn(working: Working, { id, flow }: RunningJob, stalls: number, steps = flow?.steps ?? 0): Promise<void> {
  if (!flow) return;
  const next = { ...flow, n: flow.n + 1, stalls, steps };
  const changed = await working.jobs.change(
    id,
    { flow: next },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "flow.n", eq: flow.n },
      ],
    },
  );
  if (changed) await startExecution(working, changed);
}

async function verdictOf(working: Working, flow: RunningJob): Promise<Verdict> {
  const { value } = await loadPlan(working, flow.flow?.plan ?? "");
  const last = value.modules.at(-1)?.id ?? "";
  const here = { working, flow };
  const items = await readItems(here, [
    "s#@",
    outcomeRef(last, ROOT, ""),
    ...(value.failure_module ? [outcomeRef(FAILURE, ROOT, "")] : []),
    ...(value.preprocessor_module ? [outcomeRef("preprocessor", ROOT, "")] : []),
  ]);
  const end = endIn(items, ROOT, "");
  if (end?.how === "stopped") return { state: end.skip ? "skipped" : "succeeded", result: end.result };
  if (end?.how === "failed") {
    const mended = outcomeIn(items, FAILURE, ROOT, "");
    if (value.failure_module && !mended && !end.handled) return undefined;
    if (!mended) return { state: "failed", result: end.result };
    if (mended.state === "failure") return { state: "failed", result: mended.result };
    const said = JSON.parse(await load(working, { id: mended.result.of }, mended.result.place)) as { recover?: unknown } | null;
    return { state: said?.recover === true ? "succeeded" : "failed", result: mended.result };
  }
  const outcome = outcomeIn(items, last, ROOT, "");
  return outcome?.goes === "next" ? { state: "succeeded", result: outcome.result } : undefined;
}
