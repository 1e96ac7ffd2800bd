import { actions } from "../../../contract/access/actions.ts";
import type { RunQuery } from "../../../contract/routes/jobs/runs.ts";
import { hasFlowPath } from "../../../core/jobs/record/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { may } from "../../../core/permissions/may.ts";
import type { Uses } from "../../uses.ts";
import { createVisibilityFilter } from "../read/read.ts";
import type { Lineage } from "./enqueue.ts";

/**
 * Returns the parent and the root of a new job that the caller may choose: a running job may name itself, its parent and its root. Every caller
 * may name a parent in the same workspace that they may see and run. Other ids are ignored.
 */
export async function resolveLineage(
  deps: Uses<"jobs">,
  actor: Actor,
  workspace: string,
  { parent_job: parent, root_job: root }: Pick<RunQuery, "parent_job" | "root_job">,
): Promise<Lineage> {
  const ownIds: unknown[] = actor.kind === "job" ? [actor.jobId, actor.parent, actor.root] : [];
  const hasParent = parent !== undefined && (ownIds.includes(parent) || (await mayAttach(deps, actor, workspace, parent)));
  const hasRoot = root !== undefined && ownIds.includes(root);
  return { ...(hasParent ? { parent } : {}), ...(hasRoot ? { root } : {}) } as Lineage;
}

async function mayAttach({ jobs }: Uses<"jobs">, actor: Actor, workspace: string, id: string): Promise<boolean> {
  const job = await jobs.get(id);
  if (job?.workspace !== workspace || !createVisibilityFilter({ actor, action: actions.readJob })(job)) return false;
  const run = hasFlowPath(job) ? actions.runFlow : actions.runScript;
  const { path } = job;
  return createVisibilityFilter({ actor, action: run })(job) || (path !== undefined && may(actor, run.access, { workspace, path }));
}
