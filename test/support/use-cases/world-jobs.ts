import { randomUUID } from "node:crypto";
import { classifyAwsError } from "../../../aws/sdk/aws-errors.ts";
import { limits } from "../../../contract/limits.ts";
import { type Job, type QueuedJob, type RunningJob, SHARDS } from "../../../core/jobs/record/job.ts";
import { firstDueMs } from "../../../core/jobs/record/lifecycle.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { scriptVersionObject } from "../../../core/scripts/version.ts";
import { handleJobMessage } from "../../../services/execution/handle-job-message.ts";
import { ItemIsolation } from "../../../services/maintenance/item-isolation.ts";
import { periodicTasks } from "../../../services/maintenance/periodic-tasks.ts";
import { resumeDueJobs } from "../../../services/maintenance/resume-due-jobs.ts";
import { runPeriodicTasks } from "../../../services/maintenance/run-periodic-tasks.ts";
import { buildWorkspaceWrites } from "../../../services/workspaces/workspaces.ts";
import { aQueuedJob, aRunningJob } from "../../builders/jobs.ts";
import { newWorld, type World } from "./world.ts";

/** The workspace, without which housekeeping cancels its jobs. Its administrator is the user of the built jobs. */
export async function addWorkspace({ deps, workspace, clock }: World): Promise<void> {
  const asked = { email: "ann@example.com", username: "ann", workspace: { id: workspace, name: workspace } };
  const person = { email: asked.email, username: asked.username, superAdmin: true, createdAtMs: clock.nowMs };
  await deps.objects.put({ ...userObject.key(personKey(asked.email)), value: person });
  await deps.objects.transactWrite(buildWorkspaceWrites(asked, clock.nowMs));
}

/** A version that is built: a job with its hash reaches the runner. */
export async function addScript({ deps, workspace }: World, fields: Partial<Runnable> = {}): Promise<Runnable> {
  const hash = randomUUID().replaceAll("-", "").slice(0, 16);
  const script: Runnable = {
    workspace,
    path: "f/ops/hello",
    hash,
    language: "bun",
    runner: "bun",
    build: { state: "ready", key: `artefacts/${hash}.zip`, sha256: hash },
    params: [],
    timeoutS: 60,
    tag: "bun",
    dedicated: false,
    archived: false,
    deleted: false,
    ...fields,
  };
  const { build, ...value } = script;
  await deps.objects.put({ ...scriptVersionObject.key(workspace, hash), value, build });
  return script;
}

/** A world with a workspace and a built script, whose hash is that of the jobs to run. */
export async function newScriptWorld(): Promise<{ world: World; hash: string }> {
  const world = await newWorld();
  await addWorkspace(world);
  const { hash } = await addScript(world);
  return { world, hash };
}

/** A queued job in the world's workspace, recorded but not sent. */
export async function addJob({ deps, workspace, clock }: World, fields: Partial<QueuedJob> = {}): Promise<QueuedJob> {
  const createdAtMs = clock.nowMs;
  const job = aQueuedJob({ workspace, createdAtMs, expiresAtMs: createdAtMs + limits.jobRetentionMs, ...fields });
  await deps.jobs.create(job, firstDueMs(createdAtMs));
  return job;
}

/** The job of a running flow whose execution runs on a machine, due now. */
export async function addFlowJob({ deps, workspace, clock }: World, stateMachine: string): Promise<RunningJob> {
  const startedAtMs = clock.nowMs;
  const job = aRunningJob({
    workspace,
    kind: "flow",
    createdAtMs: startedAtMs,
    startedAtMs,
    leaseUntilMs: startedAtMs,
    timeoutS: limits.flowTimeoutS,
    flow: { plan: "plan", stateMachine, execution: 0 },
    expiresAtMs: startedAtMs + limits.flowTimeoutS * 1000,
  });
  await deps.jobs.create(job, startedAtMs);
  return job;
}

/** Handles the messages in the queues, as a worker does. On AWS a failed message remains in the queue; here housekeeping replaces it. */
export async function work({ deps, messages }: World): Promise<void> {
  for (let taken = await messages(); taken.length > 0; taken = await messages()) {
    for (const message of taken) await handleJobMessage(deps, message).catch(() => undefined);
  }
}

/** Runs housekeeping now. Throws the first failure after all its tasks have run. */
export async function housekeep(world: World): Promise<void> {
  const failures: unknown[] = [];
  const onTaskFailed = (_name: string, error: unknown) => void failures.push(error);
  const isolation = newIsolation(world, failures);
  await runPeriodicTasks(periodicTasks({ ...world.deps, isolation }), { untilMs: Number.POSITIVE_INFINITY, onTaskFailed });
  if (failures.length > 0) throw failures[0];
}

/** Runs the housekeeping of jobs alone, which is fast with many runs. Throws the first failure after all jobs have been checked. */
export async function resumeDue(world: World, stopped: { stoppedMs?: number } = {}): Promise<void> {
  const failures: unknown[] = [];
  await resumeDueJobs(
    { ...world.deps, isolation: newIsolation(world, failures) },
    new Set([world.workspace]),
    Number.POSITIVE_INFINITY,
    stopped,
  );
  if (failures.length > 0) throw failures[0];
}

/** The isolation of one tick, which adds the failures of items to a list. */
export const newIsolation = ({ deps: { objects, nowMs } }: World, failures: unknown[] = []) =>
  new ItemIsolation({ objects, nowMs, classifyAwsError, onItemFailed: (_, error) => void failures.push(error) });

/** As `passTime`, but checks only jobs, so that many scenarios in one world are fast. */
export async function passLease(world: World, rounds = 2): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    world.clock.nowMs += LEASE_OVER_MS;
    await resumeDue(world);
    await work(world);
  }
}

/** All jobs of the world's workspace, and of one path in it if named. */
export async function listJobs({ deps, workspace }: World, path?: string): Promise<Job[]> {
  const shards = Array.from({ length: SHARDS }, (_, shard) => `${workspace}#${shard}`);
  const pages = await Promise.all(
    shards.map((partition) =>
      path === undefined
        ? deps.jobs.list({ index: "list", partition, limit: 1000 })
        : deps.jobs.list({ index: "path", partition: `${partition}#${path}`, limit: 1000 }),
    ),
  );
  return deps.jobs.batchGet(pages.flatMap(({ entries }) => entries.map(({ id }) => id)));
}

/** Simulates AWS after the death of a process: leases expire, housekeeping runs, messages are handled. */
export async function passTime(world: World, rounds = 2): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    world.clock.nowMs += LEASE_OVER_MS;
    await housekeep(world);
    await work(world);
  }
}
/** The time after which a job without news from its worker is due. */
export const LEASE_OVER_MS = limits.leaseMs + limits.leaseGraceMs + 60_000;
