import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import type { WorkspaceCaller } from "../../../core/people/actor.ts";
import { setWorkspaceArchived } from "../../workspaces/archive.ts";
import type { CancelJobDeps } from "./cancel-job.ts";
import { cancelWorkspaceJobs } from "./cancel-workspace-jobs.ts";

/**
 * Archives a workspace, then cancels its jobs: from the first step on no job is accepted. Repeating it completes a call that failed halfway.
 * Throws `workspace.notFound`, `access.changedMeanwhile`.
 */
export async function archiveWorkspace(
  deps: CancelJobDeps & { objects: ObjectTable },
  { actor, workspace }: WorkspaceCaller,
): Promise<void> {
  await setWorkspaceArchived(deps, workspace, true);
  await cancelWorkspaceJobs(deps, workspace, { by: actor.username, reason: "the workspace is archived" });
}
