import { defined, mapDefined } from "../../contract/defined.ts";
import type { FlowModule } from "../../contract/flows/flow-value.ts";
import type { OutlineStepJson } from "../../contract/routes/jobs/run-details.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { getScheduledMs, hasEnded, type Job } from "../jobs/record/job.ts";
import { type End, iterationPath, type Outcome, type Progress } from "./journal.ts";
import { bodyScope, branchScope, DEFAULT, isLoop, isParallel, type ScopeName } from "./scopes.ts";

type State = OutlineStepJson["state"];
/** Longer summaries are cut: a page of an outline has 200 of them. */
const SUMMARY_CHARS = 200;

/** One level of the outline: the steps of a list, or the lists inside a step. `address` is its path in the outline. */
export interface ListAddress {
  address: string;
  scope: ScopeName;
  path: string;
}

/** The stored state of a step. */
export interface StepRecord {
  outcome?: Outcome | undefined;
  progress?: Progress | undefined;
  /** The job of the last attempt. */
  job?: Job | undefined;
  /** The job of the first step inside, if that has begun. */
  firstInside?: Job | undefined;
  /** The gate, once it has opened: what the waiting step is called, and its approval. */
  gate?: { waitsAs: "suspended" | "awaiting_approval"; approval: NonNullable<OutlineStepJson["approval"]> } | undefined;
}

/** The stored state of an iteration or a branch. */
export interface ListRecord {
  end?: End | undefined;
  /** The outcomes of its steps, as far as they were read; absent for those without an outcome. */
  outcomes: readonly (Outcome | undefined)[];
  /** The number of its steps. */
  steps: number;
  /** The jobs of its first and its last step. */
  first?: Job | undefined;
  last?: Job | undefined;
}

/** Returns the list inside a module that a segment of an address names; `undefined` if the module has no such list. */
export function findInnerList({ id, value }: FlowModule, segment: string, inside: string): Omit<ListAddress, "address"> | undefined {
  const index = /^\d{1,9}$/.test(segment) ? Number(segment) : undefined;
  switch (value.type) {
    case "forloopflow":
    case "whileloopflow":
      return index === undefined ? undefined : { scope: bodyScope(id), path: iterationPath(inside, index) };
    case "branchone":
    case "branchall": {
      const isNamed = value.type === "branchone" && segment === DEFAULT;
      if (!isNamed && (index === undefined || index >= value.branches.length)) return undefined;
      return { scope: branchScope(id, index ?? DEFAULT), path: inside };
    }
    default:
      return undefined;
  }
}

/** Returns the names of the lists inside a module that has begun, as segments of addresses: a number for a loop, whose lists are its iterations. */
export function listInnerNames({ value }: FlowModule, { count, index }: Progress): number | string[] {
  if (value.type === "branchall") return value.branches.map((_, at) => String(at));
  if (value.type === "branchone") return [...value.branches.map((_, at) => String(at)), DEFAULT];
  return count ?? (index === undefined ? 0 : index + 1);
}

/** Returns the number of failed attempts before the last one. */
export const countRetries = ({ outcome, progress }: StepRecord): number => (outcome?.retries ?? progress?.failed ?? []).length;

/** Returns the index of an iteration that failed, from the path of its end; `undefined` for the end of another list. */
export function findFailedIteration(inside: string, path: string, { reason }: End): number | undefined {
  const [, index] = /^(\d+)\.$/.exec(path.startsWith(inside) ? path.slice(inside.length) : "") ?? [];
  return reason === "failed" && index !== undefined ? Number(index) : undefined;
}

/** Summarizes a step. `flowEnded`: nothing runs in the flow any more. */
export function summarizeStep(module: FlowModule, at: ListAddress, record: StepRecord, flowEnded: boolean): OutlineStepJson {
  const { outcome, progress, job, firstInside, gate } = record;
  const begun = outcome !== undefined || progress !== undefined || job !== undefined;
  const mocked = outcome !== undefined && outcome.job === undefined && !outcome.skipped && module.mock?.enabled === true;
  return {
    path: joinAddress(at.address, module.id),
    module: module.id,
    ...(module.summary ? { summary: module.summary.slice(0, SUMMARY_CHARS).toWellFormed() } : {}),
    kind: module.value.type,
    state: stateOfStep(record, flowEnded),
    ...defined({ job: job?.id ?? outcome?.job }),
    attempts: begun ? countRetries(record) + 1 : 0,
    ...(isLoop(module) ? defined({ of: progress?.count }) : {}),
    ...(firstInside ? timesOfLists(firstInside, outcome) : timesOf(job)),
    ...(job && hasEnded(job) && job.cachedFrom !== undefined ? { cached: true } : {}),
    ...(mocked ? { mocked } : {}),
    ...(outcome?.skipped ? { skipped: true } : {}),
    ...defined({ approval: gate?.approval }),
  };
}

/** The times of a loop or of branches: from its first job to its end, which an earlier release did not record. */
function timesOfLists(first: Job, outcome: Outcome | undefined) {
  const { ended_at: _, ...started } = { ended_at: undefined, ...timesOf(first) };
  return { ...started, ...defined({ ended_at: mapDefined(outcome?.endedAtMs, toIsoTime) }) };
}

export const joinAddress = (address: string, segment: string | number): string => (address === "" ? `${segment}` : `${address}/${segment}`);

function stateOfStep({ outcome, progress, job, gate }: StepRecord, flowEnded: boolean): State {
  if (outcome?.skipped) return "skipped";
  if (outcome?.state === "success") return "succeeded";
  if (outcome) return job?.state === "canceled" ? "canceled" : "failed";
  if (gate?.approval.state === "open" && !flowEnded) return gate.waitsAs;
  if (flowEnded) return job || progress ? "canceled" : "not_run";
  if (job && hasEnded(job) && progress?.retryAtMs === undefined) return job.state;
  if (job?.state === "running") return "running";
  if (job?.state === "queued") return "queued";
  if (progress?.retryAtMs !== undefined) return "queued";
  return progress ? "running" : "waiting";
}

/** Summarizes an iteration or a branch of a module, of which `container` is recorded. `name` is its number or the name of the branch. */
export function summarizeList(
  module: FlowModule,
  at: ListAddress & { name: string },
  { container, list, flowEnded }: { container: StepRecord; list: ListRecord; flowEnded: boolean },
): OutlineStepJson {
  const { first, last, steps, outcomes, end } = list;
  const loops = isLoop(module);
  const state = stateOfList(module, at.name, container, list, flowEnded);
  const started = first && timesOf(first);
  const ended = last && hasEnded(last) && (state === "succeeded" || state === "failed") ? toIsoTime(last.endedAtMs) : undefined;
  const failed = outcomes.filter((outcome) => outcome?.state === "failure").length;
  return {
    path: at.address,
    module: module.id,
    kind: loops ? "iteration" : "branch",
    state,
    attempts: state === "waiting" || state === "not_run" ? 0 : 1,
    ...(loops ? { iteration: Number(at.name), ...defined({ of: container.progress?.count }) } : {}),
    ...started,
    ...defined({ ended_at: ended }),
    children: steps,
    failed_children: Math.max(failed, end?.reason === "failed" ? 1 : 0),
  };
}

function stateOfList(module: FlowModule, name: string, container: StepRecord, list: ListRecord, flowEnded: boolean): State {
  const { end, outcomes, steps, first } = list;
  if (end?.reason === "failed") return "failed";
  if (end?.reason === "stopped") return "succeeded";
  const isChosen = module.value.type !== "branchone" || isBranch(container, name);
  if (steps === 0 && container.outcome && isChosen) return "succeeded";
  if (outcomes.at(-1)?.transition === "next") return "succeeded";
  const begun = outcomes.some((outcome) => outcome !== undefined) || first !== undefined || isReached(module, name, container);
  if (!begun) return flowEnded || container.outcome ? "not_run" : "waiting";
  return flowEnded || container.outcome ? "canceled" : "running";
}

const isBranch = ({ outcome, progress }: StepRecord, name: string) => String(outcome?.branch ?? progress?.branch) === name;

/** Returns whether a list was the last one to begin. Those before it have outcomes. */
function isReached(module: FlowModule, name: string, container: StepRecord): boolean {
  const { progress } = container;
  if (module.value.type === "branchone") return isBranch(container, name);
  if (progress?.index === undefined) return false;
  return !isParallel(module) && progress.index === Number(name);
}

function timesOf(job: Job | undefined) {
  if (!job) return {};
  const startedAtMs = job.state === "queued" ? undefined : job.startedAtMs;
  return {
    queued_at: toIsoTime(job.createdAtMs),
    ...defined({
      started_at: mapDefined(startedAtMs, toIsoTime),
      ended_at: hasEnded(job) ? toIsoTime(job.endedAtMs) : undefined,
      waited_ms: mapDefined(startedAtMs, (startMs) => Math.max(0, startMs - getScheduledMs(job))),
    }),
  };
}
