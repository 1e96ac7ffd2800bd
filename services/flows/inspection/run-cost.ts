import pMap from "p-map";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { PathCostJson, RunCostJson } from "../../../contract/routes/jobs/run-details.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { prices } from "../../../core/cost/prices.ts";
import { estimateRun, findRunKind, isApiRun, type RunMeasures, round } from "../../../core/cost/run-cost.ts";
import { flowHeadObject } from "../../../core/flows/version.ts";
import { hasEnded, hasFlowPath, isFlowJob, type Job } from "../../../core/jobs/record/job.ts";
import type { ValueLocation } from "../../../core/jobs/record/value-ref.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { findJobs } from "../../jobs/read/lists/find-jobs.ts";
import { createVisibilityFilter, type JobCaller } from "../../jobs/read/read.ts";
import type { Uses } from "../../uses.ts";
import { countFlow } from "./count-flow.ts";

type Reader = Uses<"jobs" | "objects" | "storage" | "nowMs"> & { runnerMemoryMb: number };

/** The assumed size of a value that is an item and whose size is not read. */
const ITEM_BYTES = 2048;
/** The number of nested flows, and of runs of a path, whose steps are read. The others count as their average. */
const FLOWS_READ = 10;
/** The number of steps that are read of each of them. */
const STEPS_READ = 200;
const BATCH = 100;
const AT_ONCE = 4;

const estimated = () => ({ estimate: true, region: prices.region, prices_as_of: prices.asOf, currency: "USD" }) as const;

/** Estimates the cost of a run at list prices. For a flow, `children_total` is that of its steps, including those of nested flows. */
export async function estimateRunCost(deps: Reader, job: Job): Promise<RunCostJson> {
  const { counts, measures } = await measureRun(deps, job, await loadItemBytes(deps, job));
  const children = isFlowJob(job)
    ? await estimateChildren(deps, job, counts.jobs, { flows: FLOWS_READ, steps: limits.costReads })
    : undefined;
  const { lines, total } = estimateRun(measures);
  return {
    ...estimated(),
    lines,
    total,
    ...(children ? { children_total: round(children.total), ...(children.isAll ? {} : { children_sampled: true }) } : {}),
  };
}

interface RunnablePath {
  workspace: string;
  path: string;
  kind: "script" | "flow";
}

/**
 * Estimates the cost of the runs of a script or flow in the last 30 days, from those that the caller may see. A bounded number of runs is read, newest
 * first; of a flow, the steps of some runs, whose average counts for the others. Throws `script.notFound` and `flow.notFound`.
 */
export async function estimatePathCost(deps: Reader, caller: JobCaller, { workspace, path, kind }: RunnablePath): Promise<PathCostJson> {
  const created_after = toIsoTime(Math.max(0, deps.nowMs() - limits.costMs));
  const values = { args: undefined, result: undefined };
  const filter = { query: { script_path_exact: path, created_after }, scope: "completed" as const, values };
  const isVisible = createVisibilityFilter(caller);
  const isRun = (job: Job) => isVisible(job) && hasFlowPath(job) === (kind === "flow") && !job.kind.endsWith("dependencies");
  const found = await findJobs(
    deps,
    workspace,
    { ...filter, isVisible: isRun },
    { most: Number.POSITIVE_INFINITY, reads: limits.costReads },
  );
  const read = kind === "flow" ? found.jobs.slice(0, FLOWS_READ) : found.jobs;
  const budget = { flows: FLOWS_READ, steps: STEPS_READ };
  const totals = await pMap(read, (job) => estimateWhole(deps, job, budget), { concurrency: AT_ONCE });
  const runs = found.jobs.length;
  if (runs === 0) await requireRunnable(deps, { workspace, path, kind });
  const perRun = totals.length === 0 ? 0 : totals.reduce((sum, total) => sum + total, 0) / totals.length;
  return {
    ...estimated(),
    since: created_after,
    runs,
    total: round(perRun * runs),
    per_run: round(perRun),
    partial: found.stoppedAt !== undefined,
    ...(read.length < runs ? { sampled_runs: read.length } : {}),
  };
}

async function requireRunnable({ objects }: Uses<"objects">, { workspace, path, kind }: RunnablePath): Promise<void> {
  const key = kind === "flow" ? flowHeadObject.key(workspace, path) : scriptHeadObject.key(workspace, path);
  if (!(await objects.get(key))) throw new SvcError(`${kind}.notFound`, { path });
}

/** The flows whose steps one request may still read, and the steps of each. */
interface Budget {
  flows: number;
  steps: number;
}

/** The cost of a run with its steps. */
async function estimateWhole(deps: Reader, job: Job, budget: Budget): Promise<number> {
  const { counts, measures } = await measureRun(deps, job, ITEM_BYTES);
  const children = isFlowJob(job) ? (await estimateChildren(deps, job, counts.jobs, budget)).total : 0;
  return estimateRun(measures).total + children;
}

/** Estimates the jobs of a flow's steps, newest first. If one request cannot read all, the average counts for each of the `expected` jobs. */
async function estimateChildren(deps: Reader, flow: Job, expected: number, budget: Budget): Promise<{ total: number; isAll: boolean }> {
  const page = await deps.jobs.list({ index: "parent", partition: flow.id, limit: budget.steps });
  const parts = Array.from({ length: Math.ceil(page.entries.length / BATCH) }, (_, at) => page.entries.slice(at * BATCH, (at + 1) * BATCH));
  const heads = (await pMap(parts, (part) => deps.jobs.batchGet(part.map(({ id }) => id)), { concurrency: AT_ONCE })).flat();
  // A script of the flow can start jobs whose parent is the flow. These are separate runs.
  const steps = heads.filter((job) => job.step !== undefined);
  const nested = steps.filter(isFlowJob);
  const flowsRead = nested.slice(0, budget.flows);
  budget.flows -= flowsRead.length;
  // Nested flows share what is left, so that the reads do not grow with the depth.
  budget.steps = Math.min(budget.steps, STEPS_READ);
  const plain = await pMap(
    steps.filter((job) => !isFlowJob(job)),
    async (job) => estimateRun((await measureRun(deps, job, ITEM_BYTES)).measures).total,
  );
  const whole = await pMap(flowsRead, (job) => estimateWhole(deps, job, budget), { concurrency: 1 });
  const sum = (totals: readonly number[]) => totals.reduce((all, total) => all + total, 0);
  const ofFlows = whole.length === 0 ? 0 : (sum(whole) / whole.length) * nested.length;
  const isComplete = page.after === undefined;
  const read = sum(plain) + ofFlows;
  const scale = isComplete || steps.length === 0 ? 1 : Math.max(1, expected / steps.length);
  return { total: read * scale, isAll: isComplete && whole.length === nested.length };
}

const NO_FLOW = { transitions: 0, calls: 0, jobs: 0 };

/** Measures a run. `itemBytes`: the sizes of its values that are items. */
async function measureRun(deps: Reader, job: Job, itemBytes: number | { args: number; result: number }) {
  const counts = isFlowJob(job) ? await countFlow(deps, job) : NO_FLOW;
  const result = hasEnded(job) ? job.result : undefined;
  const sizes = typeof itemBytes === "number" ? { args: itemBytes, result: itemBytes } : itemBytes;
  const startedAtMs = job.state === "queued" ? undefined : job.startedAtMs;
  const endedAtMs = hasEnded(job) ? job.endedAtMs : deps.nowMs();
  const measures: RunMeasures = {
    kind: findRunKind(job),
    viaApi: isApiRun(job),
    attempts: Math.max(1, job.attempt),
    ranMs: startedAtMs === undefined ? 0 : Math.max(0, endedAtMs - startedAtMs),
    cached: hasEnded(job) && job.cachedFrom !== undefined,
    runnerMemoryMb: deps.runnerMemoryMb,
    argsBytes: job.args.in === "item" ? sizes.args : 0,
    resultBytes: result?.in === "item" ? sizes.result : 0,
    logBytes: job.logChars,
    s3Values: [job.args, result].filter((location) => location?.in === "s3").length,
    transitions: counts.transitions,
    calls: counts.calls,
  };
  return { counts, measures };
}

/** Reads the sizes of a run's values that are items. */
async function loadItemBytes({ jobs }: Uses<"jobs">, job: Job): Promise<{ args: number; result: number }> {
  const refOf = (location: ValueLocation | undefined) => (location?.in === "item" ? location.ref : "");
  const [args, result] = [refOf(job.args), refOf(hasEnded(job) ? job.result : undefined)];
  const { items } = await jobs.getWith(job.id, [args, result].filter(Boolean), { head: false });
  const bytesOf = (ref: string) => Buffer.byteLength(items.get(ref)?.json ?? "");
  return { args: bytesOf(args), result: bytesOf(result) };
}
