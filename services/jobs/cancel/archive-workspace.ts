import type { WorkspaceCaller } from "../../../core/people/actor.ts";
import type { Uses } from "../../uses.ts";
import { setWorkspaceArchived } from "../../workspaces/archive.ts";
import { cancelWorkspaceJobs } from "./cancel-workspace-jobs.ts";

/**
 * Archives a workspace, then cancels its jobs: from the first step on no job is accepted. Repeating it completes a call that failed halfway.
 * Throws `workspace.notFound`, `access.changedMeanwhile`.
 */
export async function archiveWorkspace(
  deps: Uses<"followUps" | "onJobCanceled" | "jobs" | "objects" | "storage" | "concurrency" | "queue" | "nowMs" | "pause" | "maxRetryMs">,
  { actor, workspace }: WorkspaceCaller,
): Promise<void> {
  await setWorkspaceArchived(deps, workspace, true);
  await cancelWorkspaceJobs(deps, workspace, { by: actor.username, reason: "the workspace is archived" });
}
