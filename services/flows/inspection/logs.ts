import pMap from "p-map";
import { limits } from "../../../contract/limits.ts";
import { type ExecutedStep, executedSteps, type Journal } from "../../../core/flows/history/executed-steps.ts";
import { listIndices } from "../../../core/flows/journal.ts";
import { childPrefix } from "../../../core/jobs/lists/child-items.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { createVisibilityFilter, type JobCaller } from "../../jobs/read/read.ts";
import { loadLogs } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import { findPlan } from "../definitions/load.ts";
import { findOutcome, findProgress } from "../runtime/journal.ts";
import { computeStepJobId } from "../runtime/step-job-id.ts";

/** The output of one step under its heading. */
interface Section {
  heading: string;
  job: Job;
}

/** The number of concurrent reads of logs. */
const AT_ONCE = 20;

/**
 * Returns the output of a flow's steps in the order in which they began, each under a line that names it. The steps of a subflow follow the
 * step that runs it. For other jobs, returns their log. Logs of steps that the caller may not read are replaced by a note. Output beyond
 * `limits.flowLogChars` is truncated.
 */
export async function loadFlowLogs(deps: Uses<"jobs" | "storage">, caller: JobCaller, job: Job): Promise<string> {
  const isVisible = createVisibilityFilter(caller);
  const ownLog = await loadLogs(deps, job);
  const { sections, isAll } = await loadSections(deps, job, [], limits.flowLogJobs);
  let chars = ownLog.length;
  const fitting = sections.filter(({ heading, job: of }) => {
    const start = chars;
    chars += heading.length + of.logChars;
    return start < limits.flowLogChars;
  });
  const logs = await pMap(fitting, ({ job: of }) => (isVisible(of) ? loadLogs(deps, of) : HIDDEN_LOG), { concurrency: AT_ONCE });
  let text = ownLog;
  for (const [index, { heading }] of fitting.entries()) text = `${withLineEnd(text)}${heading}\n${logs[index] ?? ""}`;
  if (isAll && fitting.length === sections.length && text.length <= limits.flowLogChars) return text;
  return `${withLineEnd(text.slice(0, limits.flowLogChars))}[svc] The log is truncated here. jobs_u/get_logs/<job> returns the whole log of one step, and jobs/list?parent_job=${job.id} lists the jobs of the steps.\n`;
}

const startTimeOf = (job: Job) => ("startedAtMs" in job ? job.startedAtMs : undefined) ?? job.createdAtMs;
const HIDDEN_LOG = "[svc] You are not allowed to read the log of this step.\n";
const withLineEnd = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

async function loadJournal({ jobs }: Uses<"jobs">, { id }: Job): Promise<Journal> {
  const load = async (prefix: string) => new Map((await jobs.listChildren(id, prefix)).map((child) => [child.ref, child]));
  const [outcomes, progress] = await Promise.all([load(childPrefix.outcome), load(childPrefix.progress)]);
  return {
    outcome: (module, scope, path) => findOutcome(outcomes, module, scope, path),
    progress: (module, scope, path) => findProgress(progress, module, scope, path),
  };
}

function buildHeading(steps: readonly string[], { path, attempt }: ExecutedStep, { id }: Job): string {
  const iteration = listIndices(path).join(".");
  return `=== ${steps.join(" > ")},${iteration ? ` iteration ${iteration},` : ""} attempt ${attempt + 1}, job ${id}`;
}

/** Loads the steps of a flow's job and of its subflows, up to `limit`. */
async function loadSections(
  deps: Uses<"jobs" | "storage">,
  flow: Job,
  path: readonly string[],
  limit: number,
): Promise<{ sections: Section[]; isAll: boolean }> {
  const sections: Section[] = [];
  const plan = flow.flow?.plan === undefined ? undefined : await findPlan(deps, flow.flow.plan);
  if (!plan) return { sections, isAll: true };
  const places = new Map<string, ExecutedStep>();
  let isAll = true;
  for (const position of executedSteps(plan.value, plan.index, await loadJournal(deps, flow))) {
    isAll = places.size < limit;
    if (!isAll) break;
    places.set(computeStepJobId(flow.id, position.module, position.scope, position.path, position.attempt), position);
  }
  for (const job of (await deps.jobs.batchGet([...places.keys()])).sort((a, b) => startTimeOf(a) - startTimeOf(b))) {
    const position = places.get(job.id);
    if (!position) continue;
    if (sections.length >= limit) return { sections, isAll: false };
    const steps = [...path, position.module];
    sections.push({ heading: buildHeading(steps, position, job), job });
    if (job.kind !== "flow") continue;
    const inside = await loadSections(deps, job, steps, limit - sections.length);
    sections.push(...inside.sections);
    isAll &&= inside.isAll;
  }
  return { sections, isAll };
}
