import { defined } from "../../../contract/defined.ts";
import { isSvcError, SvcError } from "../../../contract/errors.ts";
import { flowHeadObject } from "../../../core/flows/version.ts";
import type { StoredObject } from "../../../core/objects/write.ts";
import type { FormFile } from "../../../core/payload/multipart.ts";
import { escapeReferences } from "../../../core/resources/references.ts";
import { scriptHeadObject } from "../../../core/scripts/version.ts";
import { type TriggerEvent, type TriggerMessage, toTriggerEvent } from "../../../core/triggers/events.ts";
import { computeTriggeredJobId, type StoredTrigger } from "../../../core/triggers/trigger.ts";
import { createNewJob, requestVersion } from "../../execution/requests/run-request.ts";
import { type StoredFiles, storeFiles } from "../../files/store.ts";
import { loadRunAsActor } from "../../identity/run-as.ts";
import { enqueueJob, type NewJob } from "../../jobs/queue/enqueue.ts";
import type { Uses } from "../../uses.ts";
import { recordFault } from "../faults.ts";
import { holdJob } from "../hold-job.ts";
import { adaptJob, describeStartFault, findTriggerTarget } from "../triggered-run.ts";

/** A trigger with the item from which it was read. */
export interface LoadedTrigger {
  workspace: string;
  trigger: StoredTrigger;
  stored: StoredObject;
}

/** The files of a message, which are stored with its job, and the function that adds them to the message. */
export interface AttachedFiles {
  files: FormFile[];
  place(stored: StoredFiles): TriggerMessage;
}

/**
 * Starts the job of a message with the rights of the trigger's user, or lets it wait if the trigger is suspended. A message that arrives again
 * finds its job. Returns the job's id. Throws the reason for which the job cannot start, which the trigger then shows: `script.notFound`,
 * `flow.notFound`, `trigger.notPermittedAs`, `auth.forbidden`, `file.storageOff`.
 */
export async function startTriggeredJob(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
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
    const fault = describeStartFault(trigger, error, "A message");
    if (fault) await recordFault(deps, workspace, trigger.id, fault);
    throw error;
  }
  return id;
}

async function buildTriggeredJob(
  deps: Uses<"objects" | "storage">,
  { workspace, trigger }: LoadedTrigger,
  { id, message, attached }: { id: string; message: TriggerMessage; attached: AttachedFiles | undefined },
): Promise<NewJob> {
  const { objects } = deps;
  const { scriptPath: path, isFlow } = trigger;
  const [actor, head] = await Promise.all([
    loadRunAsActor(objects, workspace, trigger),
    objects.get(isFlow ? flowHeadObject.key(workspace, path) : scriptHeadObject.key(workspace, path)),
  ]);
  if (!actor || actor.workspaceState) throw new SvcError("trigger.notPermittedAs", { permissionedAs: trigger.permissionedAs });
  const target = findTriggerTarget(actor, workspace, trigger, head);
  const retention = attached ? ("long" as const) : undefined;
  const whole = attached ? attached.place(await storeFiles(deps, { id, workspace, retention: "long" }, attached.files)) : message;
  const version = {
    target,
    arguments: {
      // Strangers may write a message, and a reference in it would be replaced by a secret of the trigger's user.
      args: escapeReferences(whole.args) as Record<string, unknown>,
      files: [],
      wrapped: false,
      event: escapeReferences(toTriggerEvent(trigger, whole)) as TriggerEvent,
    },
  };
  const job = await createNewJob(deps, requestVersion(version, { actor, workspace, id }));
  return { ...adaptJob(target, job, trigger), ...defined({ retention }) };
}
