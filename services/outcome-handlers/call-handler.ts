import { v5 as uuidv5 } from "uuid";
import { isSvcError } from "../../contract/errors.ts";
import { flowHeadObject } from "../../core/flows/version.ts";
import type { EndedJob } from "../../core/jobs/record/job.ts";
import { HANDLER_EMAIL, type HandlerTarget } from "../../core/outcome-handlers/handler.ts";
import type { JobActor } from "../../core/people/actor.ts";
import { accessObject, HANDLER_GROUP } from "../../core/permissions/access.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { requireNewestFlow } from "../flows/definitions/load.ts";
import { createJobRecord } from "../jobs/queue/create-job-record.ts";
import { buildFlowJobFields, buildScriptJobFields, prepareJob, sendJob } from "../jobs/queue/enqueue.ts";
import { requireNewestScript } from "../scripts/load.ts";
import type { Uses } from "../uses.ts";

/** The identity of a handler's job. */
export interface HandlerIdentity {
  createdBy: string;
  email: string;
  permissionedAs: string;
  superAdmin: boolean;
}

/** The handlers of a workspace run as a group that has only the rights that were given to it. */
export const HANDLER_IDENTITY: HandlerIdentity = {
  createdBy: HANDLER_GROUP,
  email: HANDLER_EMAIL,
  permissionedAs: `g/${HANDLER_GROUP}`,
  superAdmin: false,
};

interface HandlerCall {
  /** Identifies the handler of the ended job, because each one is called once. */
  name: string;
  target: HandlerTarget;
  args: Record<string, unknown>;
  identity: HandlerIdentity;
}

/**
 * Calls a handler of an ended job, in a separate job with a fixed id: a repeated call starts nothing. If this process dies after it has recorded
 * the job, housekeeping sends the job's message. A handler that does not exist is reported. In an archived or deleted workspace, no handler is
 * called.
 */
export async function callHandler(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  ended: EndedJob,
  { name, target, args, identity }: HandlerCall,
): Promise<void> {
  const { workspace } = ended;
  const id = uuidv5(`handler ${name}`, ended.id);
  const version = await findVersion(deps, workspace, target);
  if (!version || (await deps.jobs.get(id))) return;
  const { createdBy, email, permissionedAs, superAdmin } = identity;
  // The fields that a job gets from its caller. The caller is not a job, so the handler cannot read data of the job's run tree.
  const actor = {
    kind: "job",
    email,
    username: createdBy,
    superAdmin,
    permissionedAs,
    workspace,
    jobId: id,
    attempt: 0,
  } satisfies JobActor;
  const { tree: _, starter, ...prepared } = await prepareJob(deps, { actor, workspace, ...version, args, id, cacheTtlS: undefined });
  // Admins choose the arguments of the workspace's handlers, so the group does not need the right to read their references for another user.
  const startedBy = starter === undefined || starter === HANDLER_EMAIL ? {} : { starter };
  const job = { ...prepared, ...startedBy, createdBy, parent: ended.id, root: ended.id, isHandler: true as const };
  try {
    await createJobRecord(deps, job, undefined);
  } catch (error) {
    // Another process was first, and sends the message.
    if (isSvcError(error) && error.code === "job.idTaken") return;
    throw error;
  }
  await sendJob(deps, job);
}

async function findVersion({ objects }: Uses<"objects">, workspace: string, { kind, path }: HandlerTarget) {
  const headKey = kind === "flow" ? flowHeadObject.key(workspace, path) : scriptHeadObject.key(workspace, path);
  const [head, found] = await objects.batchGet([headKey, accessObject.key(workspace)], { consistent: true });
  // A workspace that is archived or being deleted runs nothing.
  if (found && accessObject.parse(found).state) return undefined;
  try {
    return kind === "flow" ? buildFlowJobFields(requireNewestFlow(head, path)) : buildScriptJobFields(requireNewestScript(head, path));
  } catch (error) {
    if (!isSvcError(error)) throw error;
    reportFailure("A handler does not exist", error, { workspace });
    return undefined;
  }
}
