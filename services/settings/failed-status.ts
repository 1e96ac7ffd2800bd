import { type EndState, isSuccess } from "../../core/jobs/record/job.ts";
import { failedRunsSetting } from "../../core/settings/workspace.ts";
import type { Uses } from "../uses.ts";

/** The status of a failed run's reply (spec §7.1). */
const DEFAULT_STATUS = 200;

/**
 * Returns the HTTP status of a synchronous run's reply, unless the run chooses it itself: 200 for a success, and for a failure that of the route
 * (`routeStatus`), else that of the workspace, else 200. Only a failure needs a read.
 */
export async function chooseRunStatus(
  { objects }: Uses<"objects">,
  workspace: string,
  state: EndState,
  routeStatus?: number | null,
): Promise<number> {
  if (isSuccess({ state })) return DEFAULT_STATUS;
  if (routeStatus !== undefined && routeStatus !== null) return routeStatus;
  const stored = await objects.get(failedRunsSetting.key(workspace));
  return stored ? failedRunsSetting.parse(stored).status : DEFAULT_STATUS;
}
