import { limits } from "../../../../contract/limits.ts";
import { outcomeRefOfProgress, progressFormat } from "../../../../core/flows/journal.ts";
import { childPrefix } from "../../../../core/jobs/lists/child-items.ts";
import { hasEnded, type RunningJob } from "../../../../core/jobs/record/job.ts";
import type { Uses } from "../../../uses.ts";
import { findPlan } from "../../definitions/load.ts";
import { loadWaitingTasks, resumeParentTask } from "./resume-parent-task.ts";

/**
 * Checks the nested flows for which a flow's execution has waited longer than a task needs to register its token. Resumes the task of a nested flow that
 * has ended. `lost`: the token of a task is lost, so that nothing can resume the execution. `sinceMs`: the flow has waited for a nested flow since
 * then (epoch ms). Throws `UnreadableRecordError`.
 */
export async function reconcileSubflows(
  deps: Uses<"jobs" | "storage" | "executions" | "nowMs">,
  flow: RunningJob,
): Promise<{ lost: boolean; sinceMs?: number }> {
  const { jobs, nowMs } = deps;
  const plan = await findPlan(deps, flow.flow?.plan ?? "");
  const runsFlows = [...(plan?.index.modules.values() ?? [])].some(({ module }) => module.value.type === "flow");
  if (!runsFlows) return { lost: false };
  const execution = flow.flow?.execution;
  const waiting = (await jobs.listChildren(flow.id, childPrefix.progress)).flatMap((item) => {
    const { subflowJob, awaitsToken } = progressFormat.parse(item);
    const isDue = awaitsToken?.execution === execution && (awaitsToken?.atMs ?? 0) + limits.taskTokenMs <= nowMs();
    return subflowJob !== undefined && isDue
      ? [{ subflowJob, sinceMs: awaitsToken?.atMs ?? 0, outcome: outcomeRefOfProgress(item.ref) }]
      : [];
  });
  if (waiting.length === 0) return { lost: false };
  const outcomes = waiting.map(({ outcome }) => outcome);
  const { items: passed } = await jobs.getWith(flow.id, outcomes, { head: false });
  const since: number[] = [];
  for (const { subflowJob, sinceMs, outcome } of waiting) {
    if (passed.has(outcome)) continue;
    const tasks = await loadWaitingTasks(deps, subflowJob);
    if (!tasks.some(({ state }) => state.execution === execution)) return { lost: true };
    const job = await jobs.get(subflowJob);
    if (job && hasEnded(job)) await resumeParentTask(deps, job);
    else since.push(sinceMs);
  }
  return { lost: false, ...(since.length > 0 ? { sinceMs: Math.max(...since) } : {}) };
}
