import { type SignHeadsDeps, signChainHeads } from "../approvals/audit-log/sign-heads.ts";
import { deleteIdleMachines, type IdleMachineDeps } from "../flows/definitions/delete-idle-machines.ts";
import { recordEndedIndexStart } from "../jobs/read/ended-index.ts";
import { type RetryDueDeps, retryDueNotices } from "../notifications/retry-due-notices.ts";
import { listAllWorkspaces } from "../workspaces/workspaces.ts";
import { type PurgeDeps, purgeDeletedWorkspaces } from "./purge-workspaces.ts";
import { type RemoveExpiredDeps, removeExpired } from "./remove-expired.ts";
import { type ResumeDueJobsDeps, resumeDueJobs } from "./resume-due-jobs.ts";
import type { PeriodicTask } from "./run-periodic-tasks.ts";

export type PeriodicTaskDeps = ResumeDueJobsDeps & RetryDueDeps & RemoveExpiredDeps & PurgeDeps & IdleMachineDeps & SignHeadsDeps;

/** Returns the tasks of housekeeping in the order in which each tick runs them. Tasks that callers wait for come first. */
export function periodicTasks(deps: PeriodicTaskDeps): PeriodicTask[] {
  let listed: ReturnType<typeof listAllWorkspaces> | undefined;
  const workspaces = () => {
    listed ??= listAllWorkspaces(deps);
    return listed;
  };
  const inUse = async () => new Set((await workspaces()).filter(({ deleted }) => !deleted).map(({ id }) => id));
  return [
    {
      name: "recordEndedIndex",
      run: async () => {
        const ids = (await workspaces()).map(({ id }) => id);
        return { recorded: (await recordEndedIndexStart(deps, ids)) ? 1 : 0 };
      },
    },
    { name: "resumeDueJobs", run: async (untilMs) => ({ ...(await resumeDueJobs(deps, await inUse(), untilMs)) }) },
    { name: "retryDueNotices", run: async () => ({ notices: await retryDueNotices(deps) }) },
    {
      name: "removeExpired",
      run: async (untilMs) => {
        const ids = (await workspaces()).map(({ id }) => id);
        return { swept: await removeExpired(deps, ids, untilMs) };
      },
    },
    { name: "purgeDeleted", run: async (untilMs) => ({ purged: await purgeDeletedWorkspaces(deps, untilMs) }) },
    { name: "removeIdleMachines", run: async (untilMs) => ({ idle: await deleteIdleMachines(deps, untilMs) }) },
    { name: "signHeads", run: async (untilMs) => ({ anchored: await signChainHeads(deps, await inUse(), untilMs) }) },
  ];
}
