import { type SignHeadsDeps, signHeads } from "../approvals/audit-log/sign-heads.ts";
import { type IdleMachineDeps, removeIdleMachines } from "../flows/definitions/delete-idle-machines.ts";
import { type RetryDueDeps, retryDueNotices } from "../notifications/retry-due.ts";
import { allWorkspaces } from "../workspaces/workspaces.ts";
import { type PurgeDeps, purgeDeleted } from "./purge-workspaces.ts";
import { type RemoveExpiredDeps, removeExpired } from "./remove-expired.ts";
import { type ResumeDueJobsDeps, resumeDueJobs } from "./resume-due-jobs.ts";
import type { PeriodicTask } from "./tick.ts";

export type PeriodicTaskDeps = ResumeDueJobsDeps & RetryDueDeps & RemoveExpiredDeps & PurgeDeps & IdleMachineDeps & SignHeadsDeps;

/** The tasks of housekeeping, in the order in which each tick runs them: what callers wait for comes first. */
export function periodicTasks(deps: PeriodicTaskDeps): PeriodicTask[] {
  let listed: ReturnType<typeof allWorkspaces> | undefined;
  const workspaces = () => {
    listed ??= allWorkspaces(deps);
    return listed;
  };
  const inUse = async () => new Set((await workspaces()).filter(({ deleted }) => !deleted).map(({ id }) => id));
  return [
    { name: "resumeDueJobs", run: async (untilMs) => ({ ...(await resumeDueJobs(deps, await inUse(), untilMs)) }) },
    { name: "retryDueNotices", run: async () => ({ notices: await retryDueNotices(deps) }) },
    {
      name: "removeExpired",
      run: async (untilMs) => {
        const ids = (await workspaces()).map(({ id }) => id);
        return { swept: await removeExpired(deps, ids, untilMs) };
      },
    },
    { name: "purgeDeleted", run: async (untilMs) => ({ purged: await purgeDeleted(deps, untilMs) }) },
    { name: "removeIdleMachines", run: async (untilMs) => ({ idle: await removeIdleMachines(deps, untilMs) }) },
    { name: "signHeads", run: async (untilMs) => ({ anchored: await signHeads(deps, await inUse(), untilMs) }) },
  ];
}
