import { type EndedJob, hasEnded, type Job } from "../../../core/jobs/job.ts";
import type { ValueRef } from "../../../core/jobs/value-ref.ts";
import { removeGates } from "../../approvals/gates/remove-gates.ts";
import { jobPrefix, type ValueDeps } from "../values/values.ts";

type EraseDeps = ValueDeps & { nowMs: () => number };

/** When housekeeping looks whether an erasure has come to its end. */
const ERASE_AGAIN_MS = 60_000;

/**
 * Erases arguments, output, code and result of an ended job; its record stays. Repeating it changes nothing, and should it die in the
 * middle, housekeeping repeats it.
 */
export async function eraseJob(deps: EraseDeps, job: EndedJob): Promise<EndedJob> {
  const { jobs, storage, nowMs } = deps;
  const again = jobs.dueAt(job.id, nowMs() + ERASE_AGAIN_MS);
  const erased = await jobs.change(
    job.id,
    {
      erased: true,
      args: { in: "head", json: "{}" },
      result: { in: "head", json: "null" },
      code: jobs.removed,
      shown: jobs.removed,
      argsShown: jobs.removed,
      early: jobs.removed,
      logChars: 0,
      ...again,
    },
    { attr: "state", eq: job.state },
  );
  for (const { ref } of await jobs.children(job.id, STEP)) await eraseStep(deps, ref.slice(STEP.length), 0);
  await removeGates(deps, job);
  for (const child of await jobs.children(job.id, "")) if (child.ref !== "job") await jobs.deleteItem(job.id, child.ref);
  await storage.removePrefix(jobPrefix(job));
  const { duePartition, dueAtMs } = jobs.cleared;
  await jobs.change(job.id, { duePartition, dueAtMs, eraseAtMs: jobs.removed }, { attr: "state", eq: job.state });
  return erased && hasEnded(erased) ? erased : job;
}

/** Under these names a flow's job keeps which jobs of its steps are erased after its end. */
const STEP = "e#";

/** Notes, before it begins, that what a step's job leaves is erased so long after its flow's end; without a time, only with the flow itself. */
export async function noteErasure({ jobs }: Pick<ValueDeps, "jobs">, flow: Job, step: string, afterS: number | undefined): Promise<void> {
  const json = JSON.stringify(afterS === undefined ? {} : { afterS });
  await jobs.putChild({ parent: flow.id, ref: `${STEP}${step}`, json, expiresAtS: Math.ceil(flow.expiresAtMs / 1000) });
}

/** Erases what it is time for of an ended job and, of a flow, of its steps; then it is looked at when the next is due. */
export async function eraseWhatIsDue(deps: EraseDeps, job: EndedJob): Promise<"ended" | "waited"> {
  const { jobs, nowMs } = deps;
  const { eraseAtMs = Number.POSITIVE_INFINITY } = job;
  if (job.erased || eraseAtMs <= nowMs()) {
    await eraseJob(deps, job);
    return "ended";
  }
  const nextMs = Math.min(eraseAtMs, job.erasesSteps === undefined ? eraseAtMs : await eraseSteps(deps, job));
  const { duePartition, dueAtMs } = jobs.cleared;
  await jobs.change(job.id, Number.isFinite(nextMs) ? jobs.dueAt(job.id, nextMs) : { duePartition, dueAtMs }, {
    attr: "state",
    eq: job.state,
  });
  return "waited";
}

/** Answers when the next step of an ended flow is due. */
async function eraseSteps(deps: EraseDeps, flow: EndedJob): Promise<number> {
  const { jobs, nowMs } = deps;
  const noted = (await jobs.children(flow.id, STEP)).map(({ ref, json = "{}" }) => {
    const { afterS } = JSON.parse(json) as { afterS?: number };
    return {
      ref,
      id: ref.slice(STEP.length),
      afterS,
      atMs: afterS === undefined ? Number.POSITIVE_INFINITY : flow.endedAtMs + afterS * 1000,
    };
  });
  const due = noted.filter(({ atMs }) => atMs <= nowMs());
  for (const { id, afterS } of due) await eraseStep(deps, id, afterS ?? 0);
  if (due.length > 0) await forgetResults(deps, flow, new Set(due.map(({ id }) => id)));
  for (const { ref } of due) await jobs.deleteItem(flow.id, ref);
  return Math.min(...noted.filter(({ atMs }) => atMs > nowMs()).map(({ atMs }) => atMs));
}

/** One that has not stopped yet, though its flow has ended, is erased after its own end. */
async function eraseStep(deps: EraseDeps, id: string, afterS: number): Promise<void> {
  const { jobs } = deps;
  const job = await jobs.get(id);
  if (!job) return;
  if (hasEnded(job)) await eraseJob(deps, job);
  else if (!(await jobs.change(id, { eraseAfterS: afterS }, { attr: "state", eq: job.state }))) await eraseStep(deps, id, afterS);
}

/** Small results stand in the flow's journal too, wherever they were handed on as they are. */
async function forgetResults({ jobs }: EraseDeps, flow: EndedJob, ids: ReadonlySet<string>): Promise<void> {
  const gone = { in: "head" as const, json: "null" };
  for (const item of await jobs.children(flow.id, "")) {
    if (!/^[ms]#/.test(item.ref) || item.json === undefined) continue;
    const value = JSON.parse(item.json) as { result?: ValueRef };
    const { of = "" } = value.result ?? {};
    if (ids.has(of)) await jobs.putChild({ ...item, json: JSON.stringify({ ...value, result: { of, place: gone } }) });
  }
  if (flow.early && ids.has(flow.early.of)) await jobs.change(flow.id, { early: jobs.removed }, { attr: "state", eq: flow.state });
}

/** Erases what a synchronous run left, as its script asks: at once, or in `afterS` seconds by housekeeping. */
export async function eraseAfterReply(deps: EraseDeps, id: string, afterS: number): Promise<void> {
  const { jobs, nowMs } = deps;
  const job = await jobs.get(id);
  if (!job) return;
  // A flow that has answered early goes on, and is erased after its end.
  if (!hasEnded(job)) {
    if (!(await jobs.change(id, { eraseAfterS: afterS }, { attr: "state", eq: job.state }))) await eraseAfterReply(deps, id, afterS);
    return;
  }
  if (afterS <= 0) {
    await eraseJob(deps, job);
    return;
  }
  const eraseAtMs = nowMs() + afterS * 1000;
  await jobs.change(id, { eraseAtMs, ...jobs.dueAt(id, eraseAtMs) }, { attr: "state", eq: job.state });
}
