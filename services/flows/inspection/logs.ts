import { limits } from "../../../contract/limits.ts";
import { type ExecutedStep, executedSteps, type Journal } from "../../../core/flows/executed-steps.ts";
import { listIndices } from "../../../core/flows/journal.ts";
import { childPrefix } from "../../../core/jobs/child-items.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { createVisibilityFilter, type JobCaller } from "../../jobs/read/read.ts";
import { loadLogs, type ValueDeps } from "../../jobs/values/values.ts";
import { findPlan } from "../definitions/load.ts";
import { findOutcome, findProgress } from "../runtime/journal.ts";
import { stepJobId } from "../runtime/step-job-id.ts";

/** What one step printed, under its heading. */
interface Section {
  heading: string;
  job: Job;
}

/** Logs are read so many at a time. */
const AT_ONCE = 20;

/**
 * What a flow's steps have printed so far, in the order in which they began, each under a line that names it; a flow in it stands with its own steps
 * where it began. Of other jobs, their log. What is too much is left out at the end, and a line says so.
 */
export async function loadFlowLogs(deps: ValueDeps, caller: JobCaller, job: Job): Promise<string> {
  const isVisible = createVisibilityFilter(caller);
  const own = await loadLogs(deps, job);
  const { sections, isAll } = await sectionsOf(deps, job, [], limits.flowLogJobs);
  let chars = own.length;
  const fitting = sections.filter(({ heading, job: of }) => {
    const start = chars;
    chars += heading.length + of.logChars;
    return start < limits.flowLogChars;
  });
  let text = own;
  for (let start = 0; start < fitting.length; start += AT_ONCE) {
    const part = fitting.slice(start, start + AT_ONCE);
    const logs = await Promise.all(part.map(({ job: of }) => (isVisible(of) ? loadLogs(deps, of) : HIDDEN)));
    for (const [index, { heading }] of part.entries()) text = `${ended(text)}${heading}\n${logs[index] ?? ""}`;
  }
  if (isAll && fitting.length === sections.length && text.length <= limits.flowLogChars) return text;
  return `${ended(text.slice(0, limits.flowLogChars))}[svc] The log is truncated here. jobs_u/get_logs/<job> returns the whole log of one step, and jobs/list?parent_job=${job.id} lists the jobs of the steps.\n`;
}

const began = (job: Job) => ("startedAtMs" in job ? job.startedAtMs : undefined) ?? job.createdAtMs;
const HIDDEN = "[svc] You are not allowed to read the log of this step.\n";
const ended = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

async function journalOf({ jobs }: ValueDeps, { id }: Job): Promise<Journal> {
  const load = async (prefix: string) => new Map((await jobs.children(id, prefix)).map((child) => [child.ref, child]));
  const [outcomes, progress] = await Promise.all([load(childPrefix.outcome), load(childPrefix.progress)]);
  return {
    outcome: (module, scope, path) => findOutcome(outcomes, module, scope, path),
    progress: (module, scope, path) => findProgress(progress, module, scope, path),
  };
}

function headingOf(steps: readonly string[], { path, attempt }: ExecutedStep, { id }: Job): string {
  const iteration = listIndices(path).join(".");
  return `=== ${steps.join(" > ")},${iteration ? ` iteration ${iteration},` : ""} attempt ${attempt + 1}, job ${id}`;
}

/** The steps of a flow's job, and of flows in it, as far as `most` goes. */
async function sectionsOf(
  deps: ValueDeps,
  flow: Job,
  path: readonly string[],
  most: number,
): Promise<{ sections: Section[]; isAll: boolean }> {
  const sections: Section[] = [];
  const plan = flow.flow?.plan === undefined ? undefined : await findPlan(deps, flow.flow.plan);
  if (!plan) return { sections, isAll: true };
  const places = new Map<string, ExecutedStep>();
  let isAll = true;
  for (const place of executedSteps(plan.value, plan.index, await journalOf(deps, flow))) {
    isAll = places.size < most;
    if (!isAll) break;
    places.set(stepJobId(flow.id, place.module, place.scope, place.path, place.attempt), place);
  }
  for (const job of (await deps.jobs.getMany([...places.keys()])).sort((a, b) => began(a) - began(b))) {
    const place = places.get(job.id);
    if (!place) continue;
    if (sections.length >= most) return { sections, isAll: false };
    const steps = [...path, place.module];
    sections.push({ heading: headingOf(steps, place, job), job });
    if (job.kind !== "flow") continue;
    const inside = await sectionsOf(deps, job, steps, most - sections.length);
    sections.push(...inside.sections);
    isAll &&= inside.isAll;
  }
  return { sections, isAll };
}
