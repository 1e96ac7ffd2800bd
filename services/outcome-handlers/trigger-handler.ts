import { actions } from "../../contract/access/actions.ts";
import { type EndedJob, type EndState, hasFlowPath, isSuccess, type Job } from "../../core/jobs/record/job.ts";
import type { HandlerTarget } from "../../core/outcome-handlers/handler.ts";
import { may } from "../../core/permissions/may.ts";
import { type StoredTrigger, triggerObject } from "../../core/triggers/trigger.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { findHandlerTarget } from "../flows/definitions/find-handler.ts";
import { loadRunAsActor } from "../identity/run-as.ts";
import type { Uses } from "../uses.ts";
import { callHandler } from "./call-handler.ts";
import { loadError } from "./load-outcome.ts";

/** The error handler of the trigger that started a job. */
interface TriggerHandler {
  trigger: StoredTrigger;
  target: HandlerTarget;
}

/** Returns the error handler of the trigger that started a failed job. It replaces that of the workspace. */
export async function findTriggerHandler(
  objects: Pick<ObjectStore, "get">,
  { workspace, trigger: kind, triggerPath }: Pick<Job, "workspace" | "trigger" | "triggerPath">,
  state: EndState,
): Promise<TriggerHandler | undefined> {
  if (triggerPath === undefined || isSuccess({ state })) return undefined;
  const found = await objects.get(triggerObject.key(workspace, kind, triggerPath));
  const trigger = found && triggerObject.parse(found);
  const target = trigger?.errorHandlerPath && (await findHandlerTarget(objects, workspace, trigger.errorHandlerPath));
  return trigger && target ? { trigger, target } : undefined;
}

/** Starts the error handler of the trigger that started a job, as the trigger's user. Returns whether the trigger has one. */
export async function startTriggerHandler(deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">, job: EndedJob): Promise<boolean> {
  const { id, path, email, workspace, triggerPath, state } = job;
  const handler = await findTriggerHandler(deps.objects, job, state);
  if (!handler) return false;
  const { trigger, target } = handler;
  if (!(await mayCallTriggerHandler(deps.objects, workspace, handler))) return true;
  const about = { path, email, job_id: id, is_flow: hasFlowPath(job), workspace_id: workspace, trigger_path: triggerPath };
  const args = { ...trigger.errorHandlerArgs, ...about, error: await loadError(deps, job) };
  const { permissionedAs, superAdmin } = trigger;
  const identity = { createdBy: permissionedAs.replace(/^u\//, ""), email: trigger.email, permissionedAs, superAdmin };
  await callHandler(deps, job, { name: "trigger_error_handler", target, args, identity });
  return true;
}

/** Returns whether the user of a trigger may still run its error handler. */
async function mayCallTriggerHandler(
  objects: Pick<ObjectStore, "batchGet">,
  workspace: string,
  { trigger, target }: TriggerHandler,
): Promise<boolean> {
  const actor = await loadRunAsActor(objects, workspace, trigger);
  const action = target.kind === "flow" ? actions.runFlow : actions.runScript;
  return actor !== undefined && may(actor, action.access, { workspace, path: target.path });
}
