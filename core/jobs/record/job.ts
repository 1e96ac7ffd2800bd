import { createHash } from "node:crypto";
import * as z from "zod";
import { type Delegation, shapeOf } from "./fields.ts";
import type { ValueLocation } from "./value-ref.ts";

const every = shapeOf("always");
const started = shapeOf("started");
const ended = { ...every, ...z.object(started).partial().shape, ...shapeOf("ended") };

export const runningJobSchema = z.object({ ...every, ...started, ...shapeOf("running"), state: z.literal("running") });
export const jobSchema = z.discriminatedUnion("state", [
  z.object({ ...every, state: z.literal("queued") }),
  runningJobSchema,
  z.object({ ...ended, state: z.literal("succeeded") }),
  z.object({ ...ended, state: z.literal("failed") }),
  z.object({ ...ended, state: z.literal("canceled") }),
  z.object({ ...ended, state: z.literal("skipped") }),
]);
export type Job = z.infer<typeof jobSchema>;
export type QueuedJob = Extract<Job, { state: "queued" }>;
export type RunningJob = Extract<Job, { state: "running" }>;
export type EndedJob = Extract<Job, { endedAtMs: number }>;
export type EndState = EndedJob["state"];

/** Returns whether a job has ended. */
export function hasEnded(job: Job): job is EndedJob {
  return job.state !== "queued" && job.state !== "running";
}

/** Returns whether a job has ended without a failure, which includes a flow that stopped early or was skipped. */
export const isSuccess = ({ state }: Pick<EndedJob, "state">) => state === "succeeded" || state === "skipped";

/** Returns whether data of a job is erased after its end. */
export const willBeErased = ({ eraseAfterS, erasesSteps }: Pick<Job, "eraseAfterS" | "erasesSteps">): boolean =>
  eraseAfterS !== undefined || erasesSteps !== undefined;

/** Returns the e-mail address of the person who started the run, even if it runs on behalf of another user. */
export const getRunStarter = ({ origin, starter, email }: Pick<Job, "origin" | "starter" | "email">): string => origin ?? starter ?? email;

/** Returns the start of a job that has ended, in epoch ms. A job that ended before it started has the time of its end. */
export const getStartMs = ({ startedAtMs, endedAtMs }: EndedJob): number => startedAtMs ?? endedAtMs;

/** Returns the time at which a queued job is due, in epoch ms: at once unless it was scheduled. */
export const getScheduledMs = ({ scheduledForMs, createdAtMs }: Pick<Job, "scheduledForMs" | "createdAtMs">): number =>
  scheduledForMs ?? createdAtMs;

/** Returns the id of the outermost job to which a job belongs: its own if it has no parent. */
export const getRootId = ({ id, root, parent }: Pick<Job, "id" | "root" | "parent">): string => root ?? parent ?? id;

/** Returns the id of the first job of the run tree to which a job belongs. */
export const getTreeId = ({ id, tree, step, root, parent }: Pick<Job, "id" | "tree" | "step" | "root" | "parent">): string =>
  tree ?? (step ? (root ?? parent ?? id) : id);

/** The fields that place a job in the tree of a run. */
export type TreePosition = Pick<Job, "id" | "tree" | "step" | "root" | "flowRoot">;

/** Returns the id of the run to which a flow's approvals belong: the outermost flow that runs it as a step, or the flow itself. */
export const getFlowRootId = ({ id, tree, step, root, flowRoot }: TreePosition): string =>
  flowRoot ?? (tree !== undefined && step === undefined ? id : (root ?? id));

/** Returns whether a job is the job of a flow. */
export const isFlowJob = ({ kind }: Pick<Job, "kind">) => kind === "flow" || kind === "flowpreview" || kind === "singlestepflow";

/** Returns whether the path of a job is that of a flow. A script with retries runs as the only step of a flow. */
export const hasFlowPath = (job: Pick<Job, "kind">) => isFlowJob(job) && job.kind !== "singlestepflow";

/** Returns the script or flow by which a job acts for another user. An earlier release did not record it. */
export function findDelegation(job: Pick<Job, "delegatedBy" | "starter" | "step" | "path" | "kind">): Delegation | undefined {
  const { delegatedBy, starter, step, path } = job;
  if (delegatedBy || starter === undefined || step || path === undefined) return delegatedBy;
  return { kind: hasFlowPath(job) ? "flow" : "script", path };
}

/** The state of a running flow that waits: consent takes precedence over approvals. `undefined` if it does not wait. */
export function getWaitState({
  suspends = 0,
  consents = 0,
}: Pick<Job, "suspends" | "consents">): "suspended" | "awaiting_approval" | undefined {
  if (consents > 0) return "awaiting_approval";
  return suspends > 0 ? "suspended" : undefined;
}

/** The reader of a value: a person, or a running job with the first job of its run tree. */
export type ValueReader = { kind: "person" } | { kind: "job"; jobId: string; tree?: string };

/** A reader who may be any person. */
export const PEOPLE = { kind: "person" } as const;

/** Returns whether a reader receives values with their secrets: a job of the same run tree does. */
export const seesSecretsOf = (reader: ValueReader, job: Job): boolean =>
  reader.kind === "job" && getTreeId(job) === (reader.tree ?? reader.jobId);

/** Returns the location of the result for a reader: jobs of the same run tree receive the stored result; all others receive the redacted one. */
export function resultVisibleTo(reader: ValueReader, job: EndedJob): ValueLocation {
  return seesSecretsOf(reader, job) ? job.result : (job.redactedResult ?? job.result);
}

/** Returns the location of the arguments for a reader: jobs of the same run tree receive the stored ones; all others receive the redacted ones. */
export function argsVisibleTo(reader: ValueReader, job: Job): ValueLocation {
  return seesSecretsOf(reader, job) ? job.args : (job.redactedArgs ?? job.args);
}

/** The number of shards of the list and due indexes. */
export const SHARDS = 4;
/** Returns the partitions of the index `list` that contain the jobs of a workspace, one for each shard. */
export const buildListPartitions = (workspace: string): string[] => Array.from({ length: SHARDS }, (_, shard) => `${workspace}#${shard}`);
/** Returns the shard of a job in the list and due indexes. */
export function computeShard(jobId: string): number {
  return createHash("md5").update(jobId).digest().readUInt8(0) % SHARDS;
}

/** Builds the sort key of a job in lists: creation time, then id, so that all pages have the same order. */
export function buildListKey(createdAtMs: number, jobId: string): string {
  return `${String(createdAtMs).padStart(14, "0")}#${jobId}`;
}
