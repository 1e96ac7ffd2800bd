import type { AccessRule } from "../../../../contract/access/access-rule.ts";
import { actions } from "../../../../contract/access/actions.ts";
import { isRunnablePath } from "../../../../contract/common.ts";
import { defined } from "../../../../contract/defined.ts";
import type { FlowModule } from "../../../../contract/flows/flow-value.ts";
import { limits } from "../../../../contract/limits.ts";
import { type ConcurrencyRule, spaceOf } from "../../../../core/jobs/concurrency.ts";
import type { RunningJob } from "../../../../core/jobs/record/job.ts";
import { flowRemainingS } from "../../../../core/jobs/record/lifecycle.ts";
import { listHiddenArgsOfStep } from "../../../../core/jobs/record/preview.ts";
import { may } from "../../../../core/permissions/may.ts";
import { type Runnable, scriptHeadObject, scriptVersionObject, toInlineConcurrencyRule } from "../../../../core/scripts/version.ts";
import { findReaders } from "../../../resources/find-readers.ts";
import { parseScript } from "../../../scripts/load.ts";
import type { Uses } from "../../../uses.ts";
import type { EndStepDeps } from "../end-step.ts";
import type { StepContext } from "../step-context.ts";

/** The runnable of a step's job, and the concurrency rule that applies to it. */
export type StepRunnable = Pick<RunningJob, "kind" | "path" | "hash" | "language" | "tag" | "timeoutS" | "hiddenArgs"> & {
  rule?: ConcurrencyRule | undefined;
};
export type NamedScript = Extract<FlowModule["value"], { type: "script" }>;

/** Returns whether all users whose rights the flow's job has may perform the action at a path. */
export async function permissionOf(deps: Uses<"objects">, { flow }: StepContext, access: AccessRule): Promise<(path: string) => boolean> {
  const readers = await findReaders(deps, flow);
  return (path) => readers.every((reader) => reader !== undefined && may(reader, access, { workspace: flow.workspace, path }));
}

/** The script that a step names, in its newest version unless the step names one. It does not check whether the flow may run the script. */
export async function findScript(
  { objects }: Uses<"objects">,
  { flow }: StepContext,
  { path, hash }: NamedScript,
): Promise<Runnable | undefined> {
  const runnable = parseScript(
    await objects.get(hash ? scriptVersionObject.key(flow.workspace, hash) : scriptHeadObject.key(flow.workspace, path)),
  );
  return !runnable || runnable.deleted || (runnable.archived && !hash) ? undefined : runnable;
}

/**
 * Finds the runnable of a step with the rights of the flow's job, or describes the fault. `knownScript`: the script, if it was already found.
 */
export async function findRunnable(
  deps: EndStepDeps,
  step: StepContext,
  knownScript?: Runnable,
): Promise<StepRunnable | { missing: string }> {
  const { flow, module } = step;
  const { value } = module;
  const seconds = module.timeout ? ((await deps.expressions.number("timeout", module.timeout, "a number of seconds")) ?? 0) : 0;
  const leftS = flowRemainingS(flow, deps.nowMs());
  const limitS = (usual: number) => Math.min(seconds > 0 ? Math.min(Math.ceil(seconds), limits.maxTimeoutS) : usual, leftS);
  if (value.type === "rawscript") {
    const { language, path, tag } = value;
    const named = (await findInlinePath(deps, step, path)) ?? (flow.path === undefined ? undefined : `${flow.path}/${module.id}`);
    return {
      kind: "flowscript",
      ...(named ? { path: named } : {}),
      language,
      tag: tag ?? language,
      timeoutS: limitS(limits.defaultTimeoutS),
      ...defined({ hiddenArgs: listHiddenArgsOfStep(flow, []) }),
      ...(value.concurrent_limit ? { rule: toInlineConcurrencyRule(value, value.concurrent_limit, flow) } : {}),
    };
  }
  if (value.type !== "script") return { missing: `Steps of type ${value.type} can be stored, but this service cannot run them.` };
  const { path, hash, tag_override: tag } = value;
  const runnable = knownScript ?? (await findPermittedScript(deps, step, value));
  if (!runnable) return { missing: hash ? `There is no script version ${hash}.` : `There is no script at ${path}.` };
  const { language, timeoutS, concurrency: rule } = runnable;
  const fields = { path: runnable.path, hash: runnable.hash, language, tag: tag ?? runnable.tag, timeoutS: limitS(timeoutS) };
  return { kind: "script", ...fields, ...defined({ hiddenArgs: listHiddenArgsOfStep(flow, runnable.hiddenArgs) }), rule };
}

/**
 * The path that an inline script names. It must be in the folder of the flow, whose author may save there, or one at which the user of the run
 * may save scripts: the job has the concurrency group of its path, and appears under it in lists.
 */
async function findInlinePath(deps: Uses<"objects">, step: StepContext, path: string | null | undefined): Promise<string | undefined> {
  if (!path || !isRunnablePath(path)) return undefined;
  const { kind, path: flowPath = "" } = step.flow;
  const isBeside = kind !== "flowpreview" && spaceOf(path) === spaceOf(flowPath);
  return isBeside || (await permissionOf(deps, step, actions.saveScript.access))(path) ? path : undefined;
}

async function findPermittedScript(deps: Uses<"objects">, step: StepContext, value: NamedScript): Promise<Runnable | undefined> {
  const [mayRun, runnable] = await Promise.all([permissionOf(deps, step, actions.runScript.access), findScript(deps, step, value)]);
  return runnable && mayRun(runnable.path) ? runnable : undefined;
}
