import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { startDueRefreshes } from "../accounts/start-refreshes.ts";
import { signChainHeads } from "../approvals/audit-log/sign-heads.ts";
import { sendDueAttempts } from "../deliveries/send-due-attempts.ts";
import { deleteIdleMachines } from "../flows/definitions/delete-idle-machines.ts";
import { expireTokens } from "../identity/tokens/expire-tokens.ts";
import { indexTokenExpiries } from "../identity/tokens/index-token-expiries.ts";
import { recordEndedIndexStart } from "../jobs/read/lists/ended-index.ts";
import { startDueRotations } from "../secrets/start-due-rotations.ts";
import { connectPendingSources, pollRemoteQueues, releaseHeldJobs } from "../triggers/tasks.ts";
import type { Uses } from "../uses.ts";

import { endLostRuns } from "./end-lost-runs.ts";
import { purgeDeletedWorkspaces } from "./purge-workspaces.ts";
import { resumeDueJobs } from "./resume-due-jobs.ts";
import type { PeriodicTask } from "./run-periodic-tasks.ts";

export type PeriodicTaskDeps = Uses<
  | "followUps"
  | "onJobEnded"
  | "onJobCanceled"
  | "jobData"
  | "gatedFlows"
  | "isolation"
  | "jobs"
  | "objects"
  | "storage"
  | "concurrency"
  | "schedules"
  | "scanObjects"
  | "queue"
  | "deliveryQueue"
  | "executions"
  | "stateMachines"
  | "functions"
  | "anchorKey"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
  | "stack"
  | "deploysTriggerQueue"
>;

/** The name of the task for whose work callers wait. */
export const RESUME_DUE_JOBS = "resumeDueJobs";

/**
 * Returns the tasks of housekeeping. The jobs that are due, for which callers wait, get the most time. `stoppedMs`: everything that ran before
 * this time (epoch ms) has stopped.
 */
export function periodicTasks(deps: PeriodicTaskDeps, { stoppedMs }: { stoppedMs?: number | undefined } = {}): PeriodicTask[] {
  let listed: Promise<ListedWorkspace[]> | undefined;
  const workspaces = () => {
    const current = listed ?? listWorkspaces(deps);
    listed = current;
    // The next task retries, because without the workspaces no schedule ticks.
    current.catch(() => {
      listed = undefined;
    });
    return current;
  };
  const allIds = async () => (await workspaces()).map(({ id }) => id);
  const inUse = async () => new Set((await workspaces()).flatMap(({ id, deleted }) => (deleted ? [] : [id])));
  return [
    {
      name: "recordEndedIndex",
      run: async () => ({ recorded: (await recordEndedIndexStart(deps, await allIds())) ? 1 : 0 }),
    },
    {
      name: RESUME_DUE_JOBS,
      share: 4,
      run: async (untilMs) => ({ ...(await resumeDueJobs(deps, await inUse(), untilMs, { stoppedMs })) }),
    },
    { name: "endLostRuns", run: async (untilMs) => ({ lostRuns: await endLostRuns(deps, untilMs) }) },
    { name: "sendDueAttempts", run: async (untilMs) => ({ attempts: await sendDueAttempts(deps, untilMs) }) },
    // The entries of tokens that an earlier release stored come first.
    { name: "indexTokens", run: async (untilMs) => ({ tokensIndexed: await indexTokenExpiries(deps, untilMs) }) },
    {
      name: "expireTokens",
      run: async (untilMs) => {
        const { announced, deleted } = await expireTokens(deps, untilMs);
        return { tokensAnnounced: announced, tokensDeleted: deleted };
      },
    },
    { name: "purgeDeleted", run: async (untilMs) => ({ purged: await purgeDeletedWorkspaces(deps, untilMs) }) },
    { name: "removeIdleMachines", run: async (untilMs) => ({ idle: await deleteIdleMachines(deps, untilMs) }) },
    { name: "signHeads", run: async (untilMs) => ({ anchored: await signChainHeads(deps, await inUse(), untilMs) }) },
    { name: "connectSources", run: async () => ({ connected: await connectPendingSources(deps) }) },
    { name: "refreshAccounts", run: async () => ({ refreshed: await startDueRefreshes(deps) }) },
    { name: "continueRotations", run: async () => ({ rotations: await startDueRotations(deps) }) },
    { name: "pollQueues", run: async () => ({ polled: await pollRemoteQueues(deps) }) },
    { name: "releaseHeldJobs", run: async (untilMs) => ({ released: await releaseHeldJobs(deps, untilMs) }) },
    { name: "countSetAside", run: async () => ({ setAside: await deps.isolation.countSetAside() }) },
  ];
}

/** A workspace, and whether its owner has deleted it. */
interface ListedWorkspace {
  id: string;
  deleted: boolean;
}

/**
 * Lists all workspaces, archived ones included. A workspace with an unreadable record counts as in use: otherwise its jobs would be canceled.
 */
async function listWorkspaces({ objects, isolation }: Uses<"isolation" | "objects">): Promise<ListedWorkspace[]> {
  const found = await objects.list(workspaceObject.partitionKey());
  return Promise.all(
    found.map(async (stored) => {
      const read = await isolation.attempt("listWorkspaces", stored.sk, () => workspaceObject.parse(stored));
      return { id: stored.sk, deleted: read.ok && read.value.deleted === true };
    }),
  );
}
