import { actions } from "../../../contract/access/actions.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { InputTransform, Rerun } from "../../../contract/routes/jobs/runs.ts";
import type { RunnableFlow } from "../../../core/flows/version.ts";
import { hasEnded, type Job } from "../../../core/jobs/job.ts";
import { keys, type ObjectKey } from "../../../core/objects/keys.ts";
import type { StoredObject } from "../../../core/objects/write.ts";
import type { Actor } from "../../../core/people/actor.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { permit } from "../../identity/permit.ts";
import type { CreateJobDeps, IdempotencyKey } from "../../jobs/queue/create-job-record.ts";
import { buildFlowJobFields, buildScriptJobFields, type EnqueueDeps, enqueueJob } from "../../jobs/queue/enqueue.ts";
import { createVisibilityFilter, type JobCaller } from "../../jobs/read/read.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { requireNewestScript, requireScriptVersion } from "../../scripts/load.ts";
import { requireFlowVersion, requireNewestFlow } from "../definitions/load.ts";

type RerunDeps = EnqueueDeps & CreateJobDeps;
type Options = Rerun["script_options_by_path"][string];

/** Jobs started at a time. */
const AT_ONCE = 10;

/**
 * Runs jobs again, as whoever asks. Answers for each, in the order asked for, the new job's id or why there is none: one that fails stops no
 * other. `once` makes a call that comes again start nothing twice.
 */
export async function rerun(
  deps: RerunDeps,
  caller: JobCaller,
  workspace: string,
  { job_ids: ids, script_options_by_path: ofScripts, flow_options_by_path: ofFlows }: Rerun,
  once: (place: string) => IdempotencyKey | undefined,
): Promise<PromiseSettledResult<string>[]> {
  const visible = createVisibilityFilter(caller);
  const seen = (await deps.jobs.getMany([...new Set(ids)])).filter((job) => job.workspace === workspace && visible(job));
  const jobs = new Map(seen.map((job) => [job.id, job]));
  const versionFor = versions(deps, caller.actor, workspace);
  const outcomes: PromiseSettledResult<string>[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE).map(async (id, index) => {
      const job = jobs.get(id);
      if (!job) throw new SvcError("job.notFound", { id });
      const options = (job.kind === "flow" ? ofFlows : ofScripts)[job.path ?? ""] ?? {};
      const version = await versionFor(job, options);
      const args = await argumentsFor(deps, job, options);
      const asked = {
        actor: caller.actor,
        workspace,
        ...version.job,
        ...(job.preprocess === "wanted" && version.preprocesses ? { preprocess: true as const } : {}),
        args,
        once: once(`${at + index} ${id}`),
      };
      return (await enqueueJob(deps, asked)).id;
    });
    // The caller answers one line for each job, with its error.
    outcomes.push(...(await Promise.allSettled(some)));
  }
  return outcomes;
}

/** What running a version again takes. */
interface Version {
  job: ReturnType<typeof buildScriptJobFields> | ReturnType<typeof buildFlowJobFields>;
  /** Arguments that its preprocessor has not taken yet are still an event. */
  preprocesses: boolean;
}
const ofScript = (script: Runnable): Version => ({ job: buildScriptJobFields(script), preprocesses: script.preprocessor !== undefined });
const ofFlow = (flow: RunnableFlow): Version => ({ job: buildFlowJobFields(flow), preprocesses: flow.preprocessor === true });

/** The version that a job runs, or the newest at its path; each is read once. Throws `rerun.kind` and what running it would throw. */
function versions({ objects }: RerunDeps, actor: Actor, workspace: string) {
  const read = new Map<string, Promise<Version>>();
  const readOnce = (key: ObjectKey, version: (found: StoredObject | undefined) => Version) => {
    const name = JSON.stringify(key);
    const known = read.get(name) ?? objects.get(key).then(version);
    read.set(name, known);
    return known;
  };
  return async (job: Job, { use_latest_version: latest }: Options): Promise<Version> => {
    const { id, kind, path, hash, flow: { version } = {} } = job;
    if (kind === "flow" && path !== undefined && version !== undefined) {
      permit(actor, actions.runFlow, { workspace, path }, () => new SvcError("flow.notFound", { path }));
      if (latest) return readOnce(keys.flowHead(workspace, path), (found) => ofFlow(requireNewestFlow(found, path)));
      return readOnce(keys.flowVersion(workspace, version), (found) => ofFlow(requireFlowVersion(found, version)));
    }
    if (kind !== "script" || path === undefined || hash === undefined) throw new SvcError("rerun.kind", { id, kind });
    permit(actor, actions.runScript, { workspace, path }, () => new SvcError("script.notFound", { path }));
    if (latest) return readOnce(keys.scriptHead(workspace, path), (found) => ofScript(requireNewestScript(found, path)));
    return readOnce(keys.version(workspace, hash), (found) => ofScript(requireScriptVersion(found, hash)));
  };
}

/** What the job was given, with what the options put over it. Throws `rerun.erased`, `rerun.secrets` and `rerun.expression`. */
async function argumentsFor(deps: RerunDeps, job: Job, { input_transforms: transforms = {} }: Options): Promise<Record<string, unknown>> {
  if (hasEnded(job) && job.erased) throw new SvcError("rerun.erased", { id: job.id });
  if (job.argsShown) throw new SvcError("rerun.secrets", { id: job.id });
  const input = JSON.parse(await loadValue(deps, job, job.args)) as Record<string, unknown>;
  const changed: [string, unknown][] = [];
  for (const [argument, transform] of Object.entries(transforms)) {
    changed.push([argument, await transformed(argument, transform, { job: expressionJob(job, input) })]);
  }
  return Object.fromEntries([...Object.entries(input), ...changed]);
}

/** What expressions know as `job`. */
const expressionJob = (job: Job, input: Record<string, unknown>) => ({
  id: job.id,
  input,
  script_path: job.path ?? null,
  script_hash: job.hash ?? null,
  created_by: job.createdBy,
  created_at: new Date(job.createdAtMs).toISOString(),
  scheduled_for: new Date(job.scheduledForMs ?? job.createdAtMs).toISOString(),
});

async function transformed(argument: string, transform: InputTransform, names: Record<string, unknown>): Promise<unknown> {
  if (transform.type === "static") return transform.value ?? null;
  // With an interpreter in it: loaded by who needs it.
  const { evaluateExpression: evaluate } = await import("../../../core/expressions/evaluate.ts");
  const evaluated = await evaluate(transform.expr, names);
  if (evaluated.ok) return evaluated.value;
  throw new SvcError("rerun.expression", { argument, reason: evaluated.reason });
}
