import type { Executions } from "../../aws/executions.ts";
import { flowValueSchema } from "../../contract/flow-value.ts";
import { limits } from "../../contract/limits.ts";
import { evaluate } from "../../core/expressions/evaluate.ts";
import type { Job, RunningJob } from "../../core/jobs/job.ts";
import { failure, flowLookMs } from "../../core/jobs/lifecycle.ts";
import { keys } from "../../core/objects/keys.ts";
import type { BuildingVersions } from "../builds/build-version.ts";
import { endWith, type JustEnded } from "../jobs/finish.ts";
import { jobPrefix, load } from "../jobs/places.ts";
import { settleFlowBuild, withMachine } from "./build.ts";
import { flowVersionOf, loadPlan } from "./load.ts";
import { planFlow } from "./plan.ts";

export interface Starting extends BuildingVersions {
  executions: Executions;
}

/** Gives a job back until its version is built. */
type WaitForBuild<S> = (starting: S, job: RunningJob, isPending: () => Promise<boolean>) => Promise<undefined>;

/** Starts a claimed flow's execution; flows that need none end at once. */
export async function startFlow<S extends Starting>(
  starting: S,
  job: RunningJob,
  waitForBuild: WaitForBuild<S>,
): Promise<JustEnded | undefined> {
  const { objects, storage } = starting;
  const { workspace, flow = { n: 0 } } = job;
  if (flow.plan) return begin(starting, job);
  if (job.kind === "flowpreview") return startPreview(starting, job);
  const { version = 0 } = flow;
  const load = async () => flowVersionOf(await objects.get(keys.flowVersion(workspace, version)), version);
  const build = await settleFlowBuild(starting, await load());
  switch (build.state) {
    case "pending":
      return waitForBuild(starting, job, async () => (await load()).build.state === "pending");
    case "failed":
      return endWith(starting, job, failure({ name: "DependencyError", message: build.error }));
    case "ready": {
      await loadPlan({ storage }, build.plan);
      return begin(starting, { ...job, flow: { ...flow, plan: build.plan, ...(build.machine ? { machine: build.machine } : {}) } });
    }
  }
}

async function startPreview(starting: Starting, job: RunningJob): Promise<JustEnded | undefined> {
  const { storage, functions } = starting;
  const { flow: sent } = JSON.parse(job.code ? await load(starting, job, job.code) : "{}") as { flow: unknown };
  const built = await planFlow(starting, job, job.path ?? `${job.permissionedAs}/preview`, flowValueSchema.parse(sent));
  const planned = await withMachine(functions, job.workspace, job.path ?? "preview", built);
  if (!planned.ok) return endWith(starting, job, failure({ name: "DependencyError", message: planned.error }), planned.log);
  const plan = `${jobPrefix(job)}plan.json`;
  await storage.put(plan, JSON.stringify(planned.plan), "application/json");
  return begin(starting, { ...job, flow: { n: 0, ...job.flow, plan, ...(planned.machine ? { machine: planned.machine } : {}) } });
}

async function begin(starting: Starting, job: RunningJob): Promise<JustEnded | undefined> {
  const { jobs, nowMs } = starting;
  const { flow } = job;
  if (!flow?.plan) throw new Error(`The flow job ${job.id} has no plan.`);
  const { value } = await loadPlan(starting, flow.plan);
  if (value.skip_expr) {
    const input = JSON.parse(await load(starting, job, job.args)) as unknown;
    const skips = await evaluate(value.skip_expr, { flow_input: input });
    if (!skips.ok) {
      return endWith(starting, job, failure({ name: "ExpressionError", message: `skip_expr ${value.skip_expr}: ${skips.reason}` }));
    }
    if (skips.value) return endWith(starting, job, { state: "skipped", resultJson: JSON.stringify("stopped early") });
  }
  if (value.modules.length === 0) return endWith(starting, job, { state: "succeeded", resultJson: await load(starting, job, job.args) });
  // From now on housekeeping asks the execution how it is, and no lease.
  const now = nowMs();
  const dueAtMs = flowLookMs(job, now);
  const started = await jobs.change(
    job.id,
    { flow, leaseUntilMs: now + limits.flowLookMs, dueAtMs },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "nonce", eq: job.nonce },
      ],
    },
  );
  if (started) await startExecution(starting, started);
  return undefined;
}

/** Starts the execution that counts for a flow's job; one that is there is left alone. */
export async function startExecution(starting: Pick<Starting, "executions" | "functions" | "jobs" | "storage">, job: Job): Promise<void> {
  const { executions, functions, jobs } = starting;
  const { id, workspace, flow } = job;
  if (!flow?.plan) throw new Error(`The flow job ${id} has no plan.`);
  const input = { w: workspace, j: id, n: flow.n, e: 0, at: "", o: "" };
  if (flow.machine) {
    const started = await executions.start({ machine: flow.machine, job: id, n: flow.n }, input);
    if (started === "started") return;
  }
  // Never made, or deleted because nothing ran it for long.
  const { value } = await loadPlan(starting, flow.plan);
  const made = await functions.makeMachine({ workspace, path: job.path ?? "preview", value });
  if (!("machine" in made)) throw new Error(made.refused);
  const { machine } = made;
  const changed = await jobs.change(id, { flow: { ...flow, machine } }, { attr: "state", eq: "running" });
  if (changed) await executions.start({ machine, job: id, n: flow.n }, input);
}
