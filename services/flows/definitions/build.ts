import { storedFlowValueSchema } from "../../../contract/flows/flow-value.ts";
import type { FlowBuild, RunnableFlow } from "../../../core/flows/version.ts";
import { flowHeadObject, flowVersionObject } from "../../../core/flows/version.ts";
import { hasEnded, type RunningJob } from "../../../core/jobs/record/job.ts";
import { type Ending, failedEnding } from "../../../core/jobs/record/lifecycle.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import type { BuildVersionDeps } from "../../builds/build-version.ts";
import { sendBuildWaiters } from "../../jobs/queue/build-waiters.ts";
import type { Collaborators, Uses } from "../../uses.ts";
import { loadFlow, requireFlowVersion } from "./load.ts";
import { type PlanResult, planFlow } from "./plan.ts";

const planKey = (workspace: string, version: number) => `flows/${workspace}/${version}/plan.json`;

/**
 * Runs a `flowdependencies` job: builds the inline scripts, creates the state machine, records the outcome, and sends the jobs that waited.
 */
export async function buildFlow(deps: BuildVersionDeps, job: RunningJob): Promise<Ending> {
  const { objects, storage, functions } = deps;
  const { workspace, flow: { version = 0 } = {} } = job;
  const flow = requireFlowVersion(await objects.get(flowVersionObject.key(workspace, version)), version);
  const { sent } = await loadFlow(deps, workspace, version);
  const planned = await attachMachine(
    functions,
    workspace,
    flow.path,
    await planFlow(deps, job, { path: flow.path, value: storedFlowValueSchema.parse(sent.value) }),
  );
  let build: FlowBuild = { state: "failed", job: job.id, error: planned.ok ? "" : planned.error };
  if (planned.ok) {
    const plan = planKey(workspace, version);
    await storage.putObject(plan, JSON.stringify(planned.plan), "application/json");
    build = { state: "ready", job: job.id, plan, ...(planned.machine ? { stateMachine: planned.machine } : {}) };
  }
  await recordBuild(objects, flow, build);
  await sendBuildWaiters(deps, workspace, flow.hash);
  const ending = planned.ok
    ? { state: "succeeded" as const, resultJson: JSON.stringify({ locks: planned.locks }) }
    : failedEnding({ name: "DependencyError", message: planned.error });
  return { ...ending, log: planned.log };
}

/** Returns a plan with the name of its flow's state machine. A flow without modules has none. */
export async function attachMachine(
  functions: Collaborators["functions"],
  workspace: string,
  path: string,
  planned: PlanResult,
): Promise<PlanResult & { machine?: string }> {
  if (!planned.ok || planned.plan.value.modules.length === 0) return planned;
  const creation = await functions.createStateMachine({ workspace, path, value: planned.plan.value });
  return "machine" in creation ? { ...planned, machine: creation.machine } : { ok: false, error: creation.refused, log: planned.log };
}

/**
 * Returns the state of a version's build. If the build's job ended without recording an outcome, the build is recorded as failed. Throws
 * `flow.versionNotFound`.
 */
export async function settleFlowBuild(deps: Uses<"jobs" | "objects" | "queue">, flow: RunnableFlow): Promise<FlowBuild> {
  const { workspace, version, build } = flow;
  if (build.state !== "pending") return build;
  const { objects, jobs } = deps;
  const job = await jobs.get(build.job);
  if (job && !hasEnded(job)) return build;
  // A build records its outcome before its job ends, so a missing outcome is final only now.
  const now = requireFlowVersion(await objects.get(flowVersionObject.key(workspace, version)), version).build;
  if (now.state !== "pending") return now;
  const error = `The job ${build.job} that builds it ${job ? `was ${job.state === "canceled" ? "canceled" : "lost"}` : "is gone"}. Save the flow again.`;
  const failed: FlowBuild = { state: "failed", job: build.job, error };
  await recordBuild(objects, flow, failed);
  await sendBuildWaiters(deps, workspace, flow.hash);
  return failed;
}

/** Writes the outcome of a build to the version and, while it is the newest, to the flow's head. */
async function recordBuild(objects: ObjectStore, { workspace, path, version }: RunnableFlow, build: FlowBuild): Promise<void> {
  for (const key of [flowVersionObject.key(workspace, version), flowHeadObject.key(workspace, path)]) {
    await objects.update({ ...key, build }, { version: String(version) });
  }
}
