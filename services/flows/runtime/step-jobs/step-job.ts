import { createHash } from "node:crypto";
import { defined } from "../../../../contract/defined.ts";
import { PREPROCESSOR } from "../../../../core/flows/journal.ts";
import { findSharedFolder } from "../../../../core/flows/segments.ts";
import { computeCacheKey } from "../../../../core/jobs/cache.ts";
import { findDelegation, getFlowRootId, type RunningJob } from "../../../../core/jobs/record/job.ts";
import { hasLateContent } from "../../../../core/resources/late-content.ts";
import { newAttemptFields } from "../../../jobs/lifecycle/claim.ts";
import type { ValueOwner } from "../../../jobs/values/values.ts";
import type { Uses } from "../../../uses.ts";
import type { StepContext } from "../step-context.ts";
import type { StepRunnable } from "./runnable.ts";

/** The job to which a value of a step's job belongs. It is stored for as long as the flow, because later steps read it. */
export const ownerOf = ({ flow: { workspace, retention, expiresAtMs } }: StepContext, id: string): ValueOwner => ({
  id,
  workspace,
  retention,
  expiresAtMs,
});

/** The fields that the job of a step inherits from the flow's job. */
export function inheritedFields({ nowMs }: Uses<"nowMs">, { flow, plan, module, scope, path }: StepContext) {
  const sharedFolder = findSharedFolder(plan.value, module, scope, path);
  const priority = module.priority ?? flow.priority;
  const delegatedBy = findDelegation(flow);
  return {
    createdBy: flow.createdBy,
    email: flow.email,
    ...defined({ starter: flow.starter, origin: flow.origin }),
    permissionedAs: flow.permissionedAs,
    ...defined({ delegatedBy }),
    superAdmin: flow.superAdmin,
    parent: flow.id,
    root: flow.root ?? flow.id,
    ...(flow.tree === undefined ? {} : { tree: flow.tree, flowRoot: getFlowRootId(flow) }),
    ...(flow.isHandler ? { isHandler: true as const } : {}),
    step: {
      id: module.id,
      scope: scope.name,
      path,
      ...defined({ flow: flow.path, sharedFolder }),
    },
    trigger: flow.trigger,
    ...defined({ schedulePath: flow.schedulePath }),
    // A reader of the flow's output also reads that of its steps.
    ...((flow.watchedUntilMs ?? 0) > nowMs() ? { watchedUntilMs: flow.watchedUntilMs } : {}),
    ...(priority ? { priority } : {}),
  };
}

/** The running job of a step, without its arguments. */
export function stepJob(
  deps: Uses<"nowMs"> & { worker: string },
  step: StepContext,
  owner: ValueOwner,
  runnable: Omit<StepRunnable, "rule">,
): Omit<RunningJob, "args"> {
  const now = deps.nowMs();
  return {
    ...inheritedFields(deps, step),
    ...owner,
    ...runnable,
    // An event from outside is not resolved: references in it are plain text.
    ...(step.module.id === PREPROCESSOR ? { preprocess: "done" as const } : {}),
    ...newAttemptFields(now, deps.worker),
    createdAtMs: now,
    attempt: 1,
    losses: 0,
    logChars: 0,
  };
}

/** The cache of a step: its key consists of the step's position, code and arguments. */
export function cacheOf(
  { module, flow, plan }: StepContext,
  runnable: Omit<StepRunnable, "rule">,
  args: Record<string, unknown>,
): Pick<RunningJob, "cacheTtlS" | "cacheKey" | "hash"> {
  const { cache_ttl: cacheTtlS } = module;
  if (!cacheTtlS) return {};
  const code = JSON.stringify([flow.path, module.id, runnable.hash, plan.scripts[module.id]?.key]);
  const hash = runnable.hash ?? createHash("sha256").update(code).digest("hex").slice(0, 16);
  const cacheKey = hasLateContent(args) ? undefined : computeCacheKey({ ...flow, hash }, { args: [module.id, args] });
  return { cacheTtlS, hash, ...defined({ cacheKey }) };
}
