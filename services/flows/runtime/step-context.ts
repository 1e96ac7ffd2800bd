import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { FlowModule } from "../../../contract/flow-value.ts";
import { limits } from "../../../contract/limits.ts";
import {
  type End,
  endRef,
  endSchema,
  FAILURE,
  type Outcome,
  outcomeRef,
  outcomeSchema,
  type Progress,
  progressRef,
  progressSchema,
} from "../../../core/flows/journal.ts";
import type { Scope, ScopeName } from "../../../core/flows/scopes.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import type { Job, RunningJob } from "../../../core/jobs/job.ts";
import { flowLeftS } from "../../../core/jobs/lifecycle.ts";
import type { ValueRef } from "../../../core/jobs/value-ref.ts";
import { maskerOf } from "../../../core/secrets/mask.ts";
import { secretsIn } from "../../../core/secrets/shown.ts";
import { loadValue, storeValueApart } from "../../jobs/values/values.ts";
import type { LoadedPlan } from "../definitions/load.ts";
import type { StepDeps } from "./step-deps.ts";
import { stepJobId } from "./step-job-id.ts";

/** A place in a running flow, and all that is needed there. */
export interface StepContext {
  working: StepDeps;
  flow: RunningJob;
  plan: LoadedPlan;
  module: FlowModule;
  scope: Scope;
  at: string;
  state: StepState;
  progress: Progress;
  /** Secrets in values that were read here: what is kept from here on hides them. */
  secrets: Set<string>;
  /** It is run by a segment, which runs what is inside of it as well. */
  segment?: boolean;
}

/** Reads items of a flow's journal. */
export async function readItems(
  { working, flow }: { working: { jobs: JobTable }; flow: { id: string } },
  refs: readonly string[],
): Promise<Map<string, string>> {
  const { items } = await working.jobs.getWith(flow.id, refs, { head: false });
  return jsonOf(items);
}

export function jsonOf(items: ReadonlyMap<string, { json?: string | undefined }>): Map<string, string> {
  return new Map([...items].flatMap(([ref, { json }]) => (json === undefined ? [] : [[ref, json] as const])));
}

const parsed = <T>(schema: { parse(value: unknown): T }, json: string | undefined): T | undefined =>
  json === undefined ? undefined : schema.parse(JSON.parse(json));
export const outcomeIn = (items: ReadonlyMap<string, string>, module: string, scope: ScopeName, at: string): Outcome | undefined =>
  parsed(outcomeSchema, items.get(outcomeRef(module, scope, at)));
export const endIn = (items: ReadonlyMap<string, string>, scope: ScopeName, at: string): End | undefined =>
  parsed(endSchema, items.get(endRef(scope, at)));
export const progressIn = (items: ReadonlyMap<string, string>, module: string, scope: ScopeName, at: string): Progress | undefined =>
  parsed(progressSchema, items.get(progressRef(module, scope, at)));

/** Writes an item of the journal: whoever comes again writes the same, or finds it. */
async function write({ working, flow }: StepContext, ref: string, value: object): Promise<void> {
  await working.jobs.putChild({ parent: flow.id, ref, json: JSON.stringify(value), expiresAtS: Math.ceil(flow.expiresAtMs / 1000) });
}
export const writeOutcome = (step: StepContext, outcome: Outcome) =>
  write(step, outcomeRef(step.module.id, step.scope.name, step.at), outcome);
export const writeEnd = (step: StepContext, end: End) => write(step, endRef(step.scope.name, step.at), end);

export async function writeProgress(step: StepContext, change: Progress): Promise<Progress> {
  const progress = { ...step.progress, ...change };
  await write(step, progressRef(step.module.id, step.scope.name, step.at), progress);
  return progress;
}

/** Keeps a value as the flow's own: in the journal where it is small. */
export async function storeFlowValue(
  { working, flow, secrets }: Pick<StepContext, "working" | "flow" | "secrets">,
  value: unknown,
): Promise<ValueRef> {
  const keep = async (of: unknown) => {
    const json = JSON.stringify(of ?? null);
    return Buffer.byteLength(json) <= limits.inlineBytes ? ({ in: "head", json } as const) : storeValueApart(working, flow, "end", json);
  };
  const shown = maskerOf(secrets)?.value(value);
  const hides = shown !== undefined && JSON.stringify(shown) !== JSON.stringify(value);
  return { of: flow.id, place: await keep(value), ...(hides ? { shown: await keep(shown) } : {}) };
}

export async function loadFlowValue(
  { working, secrets }: Pick<StepContext, "working" | "secrets">,
  { of, place, shown }: ValueRef,
): Promise<unknown> {
  const value = JSON.parse(await loadValue(working, { id: of }, place)) as unknown;
  if (shown) secretsIn(value, JSON.parse(await loadValue(working, { id: of }, shown)), secrets);
  return value;
}

export const resultRefOf = (job: Extract<Job, { endedAtMs: number }>): ValueRef => ({
  of: job.id,
  place: job.result,
  ...(job.shown ? { shown: job.shown } : {}),
});

export const isFailureModule = ({ module }: StepContext) => module.id === FAILURE;
/** Attempts of a module that have failed. */
export const failuresOf = ({ progress }: StepContext) => progress.failed?.length ?? 0;

/** The job of one attempt of a module: whoever comes again finds the same. */
export const attemptId = (step: StepContext, attempt = failuresOf(step)) =>
  stepJobId(step.flow.id, step.module.id, step.scope.name, step.at, attempt);

/** What the state machine is answered, and so where it goes. */
export function goTo({ state, at, flow, working }: StepContext, o: string, { s, ...more }: Partial<StepState> = {}): StepState {
  const { s: _, list: __, m: ___, c: ____, ...pointers } = state;
  // No longer than the flow itself may last: then it is ended.
  const waits = s === undefined ? {} : { s: Math.min(s, flowLeftS(flow, working.nowMs())) };
  return { ...pointers, at, ...more, ...waits, o };
}

/** The next attempt's time is noted when the last one failed: whoever comes again waits for what is left. */
export function waitBeforeRetry(step: StepContext): StepState | undefined {
  const waitS = Math.ceil(((step.progress.retryAtMs ?? 0) - step.working.nowMs()) / 1000);
  return waitS > 0 ? goTo(step, "retry", { s: waitS }) : undefined;
}

/** What a failure module says of the list that failed: it is well, with this as its result. */
export async function recovers(deps: Parameters<typeof loadValue>[0], { state, result }: Outcome): Promise<boolean> {
  if (state === "failure") return false;
  const said = JSON.parse(await loadValue(deps, { id: result.of }, result.place)) as { recover?: unknown } | null;
  return said?.recover === true;
}
