import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { FlowModule } from "../../../contract/flow-value.ts";
import { limits } from "../../../contract/limits.ts";
import {
  type End,
  endRef,
  endSchema,
  FAILURE,
  type Kept,
  type Outcome,
  outcomeRef,
  outcomeSchema,
  type Progress,
  progressRef,
  progressSchema,
} from "../../../core/flows/journal.ts";
import type { Scope, ScopeName } from "../../../core/flows/scopes.ts";
import type { FlowState } from "../../../core/flows/step-call.ts";
import type { Job, RunningJob } from "../../../core/jobs/job.ts";
import { flowLeftS } from "../../../core/jobs/lifecycle.ts";
import { maskerOf } from "../../../core/secrets/mask.ts";
import { secretsIn } from "../../../core/secrets/shown.ts";
import type { Working } from "../../execution/run-job.ts";
import { keepApart, load } from "../../jobs/values/values.ts";
import type { LoadedPlan } from "../definitions/load.ts";
import { stepJobId } from "./step-job-id.ts";

/** A place in a running flow, and all that is needed there. */
export interface Here {
  working: Working;
  flow: RunningJob;
  plan: LoadedPlan;
  module: FlowModule;
  scope: Scope;
  at: string;
  state: FlowState;
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
async function write({ working, flow }: Here, ref: string, value: object): Promise<void> {
  await working.jobs.putChild({ parent: flow.id, ref, json: JSON.stringify(value), expiresAtS: Math.ceil(flow.expiresAtMs / 1000) });
}
export const writeOutcome = (here: Here, outcome: Outcome) => write(here, outcomeRef(here.module.id, here.scope.name, here.at), outcome);
export const writeEnd = (here: Here, end: End) => write(here, endRef(here.scope.name, here.at), end);

export async function writeProgress(here: Here, change: Progress): Promise<Progress> {
  const progress = { ...here.progress, ...change };
  await write(here, progressRef(here.module.id, here.scope.name, here.at), progress);
  return progress;
}

/** Keeps a value as the flow's own: in the journal where it is small. */
export async function keepValue({ working, flow, secrets }: Pick<Here, "working" | "flow" | "secrets">, value: unknown): Promise<Kept> {
  const keep = async (of: unknown) => {
    const json = JSON.stringify(of ?? null);
    return Buffer.byteLength(json) <= limits.inlineBytes ? ({ in: "head", json } as const) : keepApart(working, flow, "end", json);
  };
  const shown = maskerOf(secrets)?.value(value);
  const hides = shown !== undefined && JSON.stringify(shown) !== JSON.stringify(value);
  return { of: flow.id, place: await keep(value), ...(hides ? { shown: await keep(shown) } : {}) };
}

export async function keptValue({ working, secrets }: Pick<Here, "working" | "secrets">, { of, place, shown }: Kept): Promise<unknown> {
  const value = JSON.parse(await load(working, { id: of }, place)) as unknown;
  if (shown) secretsIn(value, JSON.parse(await load(working, { id: of }, shown)), secrets);
  return value;
}

export const keptResult = (job: Extract<Job, { endedAtMs: number }>): Kept => ({
  of: job.id,
  place: job.result,
  ...(job.shown ? { shown: job.shown } : {}),
});

export const isFailureModule = ({ module }: Here) => module.id === FAILURE;
/** Attempts of a module that have failed. */
export const failuresOf = ({ progress }: Here) => progress.failed?.length ?? 0;

/** The job of one attempt of a module: whoever comes again finds the same. */
export const attemptId = (here: Here, attempt = failuresOf(here)) =>
  stepJobId(here.flow.id, here.module.id, here.scope.name, here.at, attempt);

/** What the state machine is answered, and so where it goes. */
export function goTo({ state, at, flow, working }: Here, o: string, { s, ...more }: Partial<FlowState> = {}): FlowState {
  const { s: _, list: __, m: ___, c: ____, ...pointers } = state;
  // No longer than the flow itself may last: then it is ended.
  const waits = s === undefined ? {} : { s: Math.min(s, flowLeftS(flow, working.nowMs())) };
  return { ...pointers, at, ...more, ...waits, o };
}

/** The next attempt's time is noted when the last one failed: whoever comes again waits for what is left. */
export function waitBeforeRetry(here: Here): FlowState | undefined {
  const waitS = Math.ceil(((here.progress.retryAtMs ?? 0) - here.working.nowMs()) / 1000);
  return waitS > 0 ? goTo(here, "retry", { s: waitS }) : undefined;
}

/** What a failure module says of the list that failed: it is well, with this as its result. */
export async function recovers(working: Parameters<typeof load>[0], { state, result }: Outcome): Promise<boolean> {
  if (state === "failure") return false;
  const said = JSON.parse(await load(working, { id: result.of }, result.place)) as { recover?: unknown } | null;
  return said?.recover === true;
}
