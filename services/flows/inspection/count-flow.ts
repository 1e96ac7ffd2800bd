import type { FlowModule, FlowValue } from "../../../contract/flows/flow-value.ts";
import {
  addCounts,
  countModule,
  END_COUNTS,
  type FlowCounts,
  multiplyCounts,
  NO_COUNTS,
  SEGMENT_COUNTS,
} from "../../../core/cost/flow-counts.ts";
import { FAILURE, insidePath, outcomeRef, progressRef } from "../../../core/flows/journal.ts";
import { countRetries, findInnerList, listInnerNames, type StepRecord } from "../../../core/flows/outline.ts";
import { type FlowIndex, indexFlow, isContainer, isLoop, isParallel, ROOT, type ScopeName } from "../../../core/flows/scopes.ts";
import { groupSegments } from "../../../core/flows/segments.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { findOutcome, findProgress, readJournal } from "../runtime/journal.ts";
import { loadFlowValueOfJob } from "./status.ts";

interface CountedFlow {
  job: Job;
  value: FlowValue;
  index: FlowIndex;
}

/**
 * Counts the state transitions, calls and jobs of a flow from its journal. It reads the first iteration of a loop and multiplies its counts, so the
 * number of reads does not grow with the list.
 */
export async function countFlow(deps: Uses<"jobs" | "objects" | "storage">, job: Job): Promise<FlowCounts> {
  const value = await loadFlowValueOfJob(deps, job, false);
  if (!value) return NO_COUNTS;
  return addCounts(await countList(deps, { job, value, index: indexFlow(value) }, ROOT, ""), END_COUNTS);
}

async function countList(deps: Uses<"jobs">, flow: CountedFlow, scope: ScopeName, path: string): Promise<FlowCounts> {
  const { value, index, job } = flow;
  const modules = index.scopes.get(scope)?.modules ?? [];
  const asides = [...(scope === ROOT ? [value.preprocessor_module] : []), value.failure_module].flatMap((module) => module ?? []);
  const all = [...modules, ...asides];
  const refs = all.flatMap(({ id }) => [outcomeRef(id, scope, path), progressRef(id, scope, path)]);
  const items = await readJournal(deps, job, refs);
  const recordOf = ({ id }: FlowModule): StepRecord => ({
    outcome: findOutcome(items, id, scope, path),
    progress: findProgress(items, id, scope, path),
  });
  let counts = NO_COUNTS;
  const groups = [...groupSegments(value, scope, modules), ...asides.map((module) => ({ modules: [module], segment: false }))];
  for (const { modules: group, segment } of groups) {
    const begun = group.map((module) => ({ module, record: recordOf(module) })).filter(({ record }) => record.outcome ?? record.progress);
    if (begun.length === 0) continue;
    if (segment) counts = addCounts(counts, SEGMENT_COUNTS);
    for (const { module, record } of begun) {
      const { jobs, ...rest } = await countStep(deps, flow, { module, record, path });
      counts = addCounts(counts, segment ? { ...NO_COUNTS, jobs } : { jobs, ...rest });
    }
  }
  return counts;
}

async function countStep(
  deps: Uses<"jobs">,
  flow: CountedFlow,
  { module, record, path }: { module: FlowModule; record: StepRecord; path: string },
): Promise<FlowCounts> {
  const attempts = countRetries(record) + 1;
  // The failure module is not part of the index of each list.
  if (module.id === FAILURE || !isContainer(module)) {
    const ran = record.outcome === undefined || record.outcome.job !== undefined;
    return countModule(module, {
      attempts,
      lists: 0,
      hasJob: ran && module.value.type !== "identity" && module.value.type !== "consentgate",
    });
  }
  const inside = insidePath(module.id, path, attempts - 1);
  const inner = findBegunLists(module, record).flatMap(({ name, times }) => {
    const list = findInnerList(module, name, inside);
    return list ? [{ ...list, times }] : [];
  });
  let counts = countModule(module, { attempts, lists: inner.reduce((sum, { times }) => sum + times, 0), hasJob: false });
  for (const { scope, path: innerPath, times } of inner) {
    counts = addCounts(counts, multiplyCounts(await countList(deps, flow, scope, innerPath), times * attempts));
  }
  return counts;
}

/** Returns the lists of a module that began. The first iteration of a loop represents `times` iterations. */
function findBegunLists(module: FlowModule, { outcome, progress = {} }: StepRecord): { name: string; times: number }[] {
  if (module.value.type === "branchone") {
    const branch = outcome?.branch ?? progress.branch;
    return branch === undefined ? [] : [{ name: String(branch), times: 1 }];
  }
  const names = listInnerNames(module, progress);
  const began = isParallel(module) ? Number.POSITIVE_INFINITY : (progress.index ?? -1) + 1;
  if (!isLoop(module) || typeof names !== "number") return (names as string[]).slice(0, began).map((name) => ({ name, times: 1 }));
  const times = Math.min(names, began);
  return times > 0 ? [{ name: "0", times }] : [];
}
