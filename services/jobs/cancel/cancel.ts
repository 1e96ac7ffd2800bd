import type { Executions } from "../../../aws/stepfunctions/executions.ts";
import { SvcError } from "../../../contract/errors.ts";
import { hasEnded, type Job } from "../../../core/jobs/job.ts";
import { canceled } from "../../../core/jobs/lifecycle.ts";
import { parkedJobs } from "../../flows/runtime/parked-jobs.ts";
import { resumeParentTask } from "../../flows/runtime/resume-parent-task.ts";
import { type ConcurrencyDeps, releaseSlot } from "../concurrency/concurrency.ts";
import { endWith, type FinishJobDeps } from "../lifecycle/finish.ts";

/** What canceling takes: of a flow its execution is stopped too. */
export type CancelDeps = FinishJobDeps & ConcurrencyDeps & { executions: Pick<Executions, "stop" | "resume"> };

/** The most often a cancellation looks again when the job moves on under it. */
const TRIES = 5;

/**
 * Cancels a job: a waiting one ends at once, a running one is marked, and its runner learns it from its next beat. `force` ends
 * the record at once. A flow ends at once as well: its steps find that out before they begin, and those that run by their next beat. Throws `job.ended`.
 */
export async function cancel(deps: CancelDeps, job: Job, by: string, reason: string, force: boolean): Promise<string> {
  const { jobs } = deps;
  const mark = { by, reason };
  for (let current = job, tries = 0; tries < TRIES; tries += 1) {
    if (hasEnded(current)) throw new SvcError("job.ended", { id: job.id, state: current.state });
    if (current.state === "queued" || force || current.flow?.plan) {
      const ended = await endWith(deps, { ...current, cancel: mark }, canceled(mark), "", { cancel: mark });
      if (ended) {
        await stopInside(deps, current, mark);
        // Canceled it is, whether or not its slot could be given on: if not, housekeeping does it.
        await releaseSlot(deps, ended).catch(() => undefined);
        return `The job ${job.id} is canceled.`;
      }
    } else if (
      await jobs.change(
        job.id,
        { cancel: mark },
        {
          and: [
            { attr: "state", eq: "running" },
            { attr: "nonce", eq: current.nonce },
          ],
        },
      )
    ) {
      return `The job ${job.id} is being canceled. Its runner stops within seconds.`;
    }
    const next = await jobs.get(job.id);
    if (!next) throw new SvcError("job.notFound", { id: job.id });
    current = next;
  }
  throw new Error(`The job ${job.id} could not be canceled, because other requests changed it repeatedly. Try again.`);
}

/**
 * Waits and states that have not begun end with the execution, and flows inside and steps that wait for a slot are canceled for the same reason. Should any of that fail,
 * they find the record ended.
 */
export async function stopInside(deps: CancelDeps, job: Job, { by, reason }: { by: string; reason: string }): Promise<void> {
  const { executions, jobs } = deps;
  const { id, flow } = job;
  if (!flow) return;
  await resumeParentTask(deps, job).catch(() => undefined);
  if (flow.machine) await executions.stop({ machine: flow.machine, job: id, n: flow.n }, reason || "canceled").catch(() => undefined);
  const nested = (await jobs.children(id, "w#")).flatMap(({ json = "{}" }) => (JSON.parse(json) as { nested?: string }).nested ?? []);
  for (const inner of [...nested, ...(await parkedJobs(deps, job))]) {
    const inside = await jobs.get(inner);
    if (inside && !hasEnded(inside)) await cancel(deps, inside, by, reason, false).catch(() => undefined);
  }
}
