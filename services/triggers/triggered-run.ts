import { isSvcError } from "../../contract/errors.ts";
import type { Retry } from "../../contract/flows/flow-value.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import type { StoredTrigger } from "../../core/triggers/trigger.ts";
import type { RunTarget } from "../execution/requests/run-request.ts";
import { requireNewestFlow } from "../flows/definitions/load.ts";
import { permitRun } from "../identity/permit.ts";
import type { NewJob } from "../jobs/queue/enqueue.ts";
import { buildRetriedScript } from "../schedules/retried-script.ts";
import { requireNewestScript } from "../scripts/load.ts";

/**
 * Returns the script or flow of a trigger, whose head is `head`, for the user with whose rights its jobs run. Throws `script.notFound`,
 * `flow.notFound` and `auth.forbidden`.
 */
export function findTriggerTarget(
  actor: Actor,
  workspace: string,
  { isFlow, scriptPath: path }: StoredTrigger,
  head: StoredObject | undefined,
): RunTarget {
  permitRun(actor, workspace, { path, isFlow });
  return isFlow ? { kind: "flow", version: requireNewestFlow(head, path) } : { kind: "script", version: requireNewestScript(head, path) };
}

/**
 * Returns the sentence for a trigger about the reason for which `event` started no job, or `undefined` for an error that is not a fault of the
 * trigger.
 */
export function describeStartFault(
  { isFlow, scriptPath, permissionedAs }: StoredTrigger,
  error: unknown,
  event: string,
): string | undefined {
  const kind = isFlow ? "flow" : "script";
  switch (isSvcError(error) ? error.code : undefined) {
    case "script.notFound":
    case "flow.notFound":
      return `${event} started no job: there is no such ${kind} as ${scriptPath}.`;
    case "trigger.notPermittedAs":
    case "auth.forbidden":
      return `${event} started no job: ${permissionedAs} may not run the ${kind} ${scriptPath}.`;
    case "file.storageOff":
      return `${event} started no job: its files cannot be stored, because the workspace has no file storage.`;
    default:
      return undefined;
  }
}

/** Returns the job of a trigger with the trigger's retries. A script is then the only step of a flow, which calls no preprocessor. */
export function adaptJob(target: RunTarget, job: NewJob, { kind, path, retry }: StoredTrigger): NewJob {
  const origin = { trigger: kind, triggerPath: path };
  if (!retry || target.kind === "flow" || job.preprocess) return { ...job, ...origin };
  return { ...job, ...buildRetriedScript(target.version, retry as Retry, job.args), ...origin };
}
