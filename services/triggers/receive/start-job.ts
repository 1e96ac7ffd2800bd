import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { actions } from "../../../contract/access/actions.ts";
import { isSvcError, SvcError } from "../../../contract/errors.ts";
import type { Retry } from "../../../contract/flows/flow-value.ts";
import { limits } from "../../../contract/limits.ts";
import { firstDueMs } from "../../../core/jobs/lifecycle.ts";
import { keys } from "../../../core/objects/keys.ts";
import type { StoredObject } from "../../../core/objects/write.ts";
import { unchangedSince, write } from "../../../core/objects/write.ts";
import type { FormFile } from "../../../core/payload/multipart.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { type TriggerMessage, toTriggerEvent } from "../../../core/triggers/events.ts";
import { computeTriggeredJobId, type StoredTrigger } from "../../../core/triggers/trigger.ts";
import { type CreateNewJobDeps, createNewJob, type RunTarget } from "../../execution/requests/run-request.ts";
import { storeFiles } from "../../files/store.ts";
import { requireNewestFlow } from "../../flows/definitions/load.ts";
import { permit } from "../../identity/permit.ts";
import { loadRunAsActor } from "../../identity/run-as.ts";
import type { CreateJobDeps } from "../../jobs/queue/create-job-record.ts";
import { type EnqueueDeps, enqueueJob, type NewJob, prepareJob } from "../../jobs/queue/enqueue.ts";
import { buildRetriedScript } from "../../schedules/retried-script.ts";
import { requireNewestScript } from "../../scripts/load.ts";
import { recordFault } from "../faults.ts";

export type StartTriggeredJobDeps = EnqueueDeps & CreateJobDeps & CreateNewJobDeps & { objects: ObjectTable };

/** A trigger with the item that it was read from. */
export interface LoadedTrigger {
  workspace: string;
  trigger: StoredTrigger;
  stored: StoredObject;
}

/** The files of a message, which are stored with its job, and the function that puts them into the message. */
export interface AttachedFiles {
  files: FormFile[];
  place(stored: Awaited<ReturnType<typeof storeFiles>>): TriggerMessage;
}

/** A job that waits for its trigger does not start by itself: this is the longest delay of a job. */
const HELD_MS = limits.maxDelayS * 1000;

/**
 * Starts the job of a message, with the rights of the trigger's user, or lets it wait if the trigger is suspended. A message that arrives again
 * finds its job. Returns the job's id. Throws the reason for which the job cannot start, which the trigger then shows: `script.notFound`,
 * `flow.notFound`, `trigger.notPermittedAs`, `auth.forbidden`, `file.storageOff`.
 */
export async function startTriggeredJob(
  deps: StartTriggeredJobDeps,
  loaded: LoadedTrigger,
  message: TriggerMessage,
  attached?: AttachedFiles,
): Promise<string> {
  const { workspace, trigger } = loaded;
  const id = computeTriggeredJobId(trigger.id, message.id);
  // The files of a message that arrives again are stored already.
  if (attached && (await deps.jobs.get(id, { expired: true }))) return id;
  try {
    const job = await buildTriggeredJob(deps, loaded, { id, message, attached });
    if (trigger.mode === "suspended") await holdJob(deps, loaded, job);
    else await enqueueJob(deps, job);
  } catch (error) {
    // The message arrived before, and its job exists.
    if (isSvcError(error) && error.code === "job.idTaken") return id;
    if (isSvcError(error) && FAULTS.has(error.code)) await recordFault(deps, workspace, trigger.id, describeFault(trigger, error));
    throw error;
  }
  return id;
}

const FAULTS: ReadonlySet<string> = new Set([
  "script.notFound",
  "flow.notFound",
  "trigger.notPermittedAs",
  "auth.forbidden",
  "file.storageOff",
]);

function describeFault({ isFlow, scriptPath, permissionedAs }: StoredTrigger, { code }: SvcError): string {
  const what = `the ${isFlow ? "flow" : "script"} ${scriptPath}`;
  if (code === "script.notFound" || code === "flow.notFound")
    return `A message started no job: there is no such ${isFlow ? "flow" : "script"} as ${scriptPath}.`;
  if (code === "file.storageOff") return "A message started no job: its files cannot be stored, because the workspace has no file storage.";
  return `A message started no job: ${permissionedAs} may not run ${what}.`;
}

async function buildTriggeredJob(
  deps: StartTriggeredJobDeps,
  { workspace, trigger }: LoadedTrigger,
  { id, message, attached }: { id: string; message: TriggerMessage; attached: AttachedFiles | undefined },
): Promise<NewJob> {
  const { objects } = deps;
  const { scriptPath: path, isFlow } = trigger;
  const [actor, head] = await Promise.all([
    loadRunAsActor(objects, workspace, trigger),
    objects.get(isFlow ? keys.flowHead(workspace, path) : keys.scriptHead(workspace, path)),
  ]);
  if (!actor || actor.workspaceState) throw new SvcError("trigger.notPermittedAs", { permissionedAs: trigger.permissionedAs });
  const target = findTarget(actor, workspace, trigger, head);
  const retention = attached ? ("long" as const) : undefined;
  const whole = attached ? attached.place(await storeFiles(deps, { id, workspace, retention: "long" }, attached.files)) : message;
  const job = await createNewJob(deps, {
    target,
    options: { actor, workspace, id, lineage: undefined, scheduledForMs: undefined },
    tag: undefined,
    cacheTtlS: undefined,
    arguments: { args: whole.args, files: [], wrapped: false, event: toTriggerEvent(trigger, whole) },
    idempotencyKey: undefined,
  });
  return {
    ...withRetry(target, job, trigger.retry as Retry | undefined),
    ...(retention ? { retention } : {}),
    trigger: trigger.kind,
    triggerPath: trigger.path,
  };
}

/** Returns the job with the retries of its trigger. A script is then the only step of a flow, which calls no preprocessor. */
function withRetry(target: RunTarget, job: NewJob, retry: Retry | undefined): NewJob {
  if (!retry || target.kind === "flow" || job.preprocess) return job;
  const { actor, workspace, id, lineage, scheduledForMs, args, tag } = job;
  return { actor, workspace, id, lineage, scheduledForMs, args, tag, ...buildRetriedScript(target.version, retry, args) };
}

function findTarget(
  actor: Actor,
  workspace: string,
  { isFlow, scriptPath: path }: StoredTrigger,
  head: StoredObject | undefined,
): RunTarget {
  const absent = () => new SvcError(isFlow ? "flow.notFound" : "script.notFound", { path });
  permit(actor, isFlow ? actions.runFlow : actions.runScript, { workspace, path }, absent);
  return isFlow ? { kind: "flow", version: requireNewestFlow(head, path) } : { kind: "script", version: requireNewestScript(head, path) };
}

/** The trigger was changed between its read and the write that depends on its mode. */
class TriggerChanged extends Error {
  override readonly name = "TriggerChanged";
}

/**
 * Records a job that waits until its trigger is enabled, together with the entry by which it is found then. The trigger must be suspended
 * still: otherwise the job would wait after the release of the others. Throws `TriggerChanged`, and `job.idTaken`.
 */
async function holdJob(deps: StartTriggeredJobDeps, { workspace, trigger, stored }: LoadedTrigger, request: NewJob): Promise<void> {
  const { jobs, objects, nowMs } = deps;
  const scheduledForMs = nowMs() + HELD_MS;
  const job = await prepareJob(deps, { ...request, scheduledForMs });
  const expiresAtS = Math.ceil(scheduledForMs / 1000);
  const refused = await objects.transactWrite([
    write.check(stored, unchangedSince(stored)),
    { raw: { Put: jobs.createParams(job, firstDueMs(job.createdAtMs, scheduledForMs)) } },
    write.put({ ...keys.heldJob(workspace, trigger.id, job.id), value: { job: job.id }, expiresAtS }),
  ]);
  if (refused === 0) throw new TriggerChanged(`The trigger ${trigger.path} was changed.`);
  if (refused !== undefined) throw new SvcError("job.idTaken", { id: job.id });
}
