import { createHash } from "node:crypto";
import { v5 as uuidv5 } from "uuid";
import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import { triggerKindSchema, triggerModeSchema } from "../../contract/routes/triggers/trigger-kind.ts";
import type { TriggerJson } from "../../contract/routes/triggers/trigger-kinds.ts";
import type { TriggerListQuery } from "../../contract/routes/triggers/trigger-list.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { defineObject, inQueue, inWorkspace, inWorkspaceBy, sortByPath } from "../objects/define-object.ts";

/** A stored trigger. `own` contains the fields of its kind. */
const storedTriggerSchema = z.object({
  /** A new id for each creation. A renamed trigger retains it, so that a repeated message still starts no second job. */
  id: z.uuid(),
  kind: triggerKindSchema,
  path: z.string(),
  scriptPath: z.string(),
  isFlow: z.boolean(),
  mode: triggerModeSchema,
  /** The user with whose rights the jobs run. */
  email: z.string(),
  permissionedAs: z.string(),
  /** A superadmin who is not a member saved it: its jobs have the rights of that user. */
  superAdmin: z.boolean(),
  own: z.record(z.string(), z.unknown()),
  labels: z.array(z.string()).optional(),
  errorHandlerPath: z.string().optional(),
  errorHandlerArgs: z.record(z.string(), z.unknown()).optional(),
  retry: z.record(z.string(), z.unknown()).optional(),
  editedBy: z.string(),
  editedAtMs: z.number(),
});
export type StoredTrigger = z.infer<typeof storedTriggerSchema>;

/** The stored reason for which a trigger receives no messages. */
const triggerFaultSchema = z.object({ message: z.string(), atMs: z.number() });

/** The location of a trigger, in entries that find it by its source. */
export const triggerRefSchema = z.object({ workspace: z.string(), kind: triggerKindSchema, path: z.string(), id: z.string() });
export type TriggerRef = z.infer<typeof triggerRefSchema>;

/** Returns the form of a trigger in api.md §3.8. */
export function toTriggerJson(
  workspace: string,
  trigger: StoredTrigger,
  { error, mailDomain }: { error?: string | undefined; mailDomain?: string | undefined },
): TriggerJson {
  const { own, mode, labels, errorHandlerPath, errorHandlerArgs, retry } = trigger;
  const address = trigger.kind === "email" && mailDomain ? { address: `${buildLocalPart(workspace, own)}@${mailDomain}` } : {};
  return {
    ...Object.fromEntries(Object.entries(own).filter(([, value]) => value != null)),
    ...(trigger.kind === "sqs" ? { aws_resource_path: own["aws_resource_path"] ?? "" } : {}),
    ...address,
    workspace_id: workspace,
    path: trigger.path,
    script_path: trigger.scriptPath,
    is_flow: trigger.isFlow,
    mode,
    enabled: mode === "enabled",
    permissioned_as: trigger.permissionedAs,
    email: trigger.email,
    extra_perms: {},
    edited_by: trigger.editedBy,
    edited_at: toIsoTime(trigger.editedAtMs),
    ...defined({ labels, error_handler_path: errorHandlerPath, error_handler_args: errorHandlerArgs }),
    ...(retry ? { retry: retry as NonNullable<TriggerJson["retry"]> } : {}),
    ...defined({ error }),
  };
}

/** Returns the part before `@` of the address of an e-mail trigger, in lower case. */
export function buildLocalPart(workspace: string, fields: Readonly<Record<string, unknown>>): string {
  const local = String(fields["local_part"]);
  return fields["workspaced_local_part"] === true ? `${workspace}-${local}` : local;
}

/** Returns whether a trigger matches every filter of a list. `path` is the path of the script or flow, for compatibility with other servers. */
export function matchesTrigger({ path, scriptPath, isFlow, labels = [] }: StoredTrigger, query: TriggerListQuery): boolean {
  return (
    (query.path === undefined || scriptPath === query.path) &&
    (query.is_flow === undefined || isFlow === (query.is_flow === "true")) &&
    (query.path_start === undefined || path.startsWith(query.path_start)) &&
    (query.label === undefined || labels.includes(query.label))
  );
}

/** The namespace of the ids of jobs that triggers start. */
const JOB_NAMESPACE = "6f0d3b7e-52a1-4c46-9d7a-0f5a1f6f2c10";

/** Returns the id of the job for a message, a UUID of version 5: a message that arrives twice gets the same job. */
export function computeTriggeredJobId(trigger: string, message: string): string {
  return uuidv5(`${trigger}/${message}`, JOB_NAMESPACE);
}

/** Returns a short name for an id in the names of AWS resources. */
export const hashName = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 24);

/** A trigger of one kind. */
export const triggerObject = defineObject({
  name: "trigger",
  partition: "TRIGGER",
  ...inWorkspaceBy<string>(),
  sort: sortByPath,
  schema: storedTriggerSchema,
});

/** The trigger that receives the messages of a source in AWS (core/triggers/sources.ts). */
export const triggerSourceObject = defineObject({
  name: "source of a trigger",
  partition: "TSOURCE",
  ...inWorkspace,
  sort: (source: string) => source,
  schema: triggerRefSchema,
});

/** The reason for which a trigger receives no messages, by the trigger's id. */
export const triggerFaultObject = defineObject({
  name: "fault of a trigger",
  partition: "TFAULT",
  ...inWorkspace,
  sort: (id: string) => id,
  schema: triggerFaultSchema,
});

/** A job that waits because its trigger is suspended. */
export const heldJobObject = defineObject({
  name: "waiting job of a trigger",
  partition: "HELD",
  ...inWorkspace,
  sort: (trigger: string, job: string) => `${trigger}#${job}`,
  schema: z.object({ job: z.string() }),
});

/** A trigger whose waiting jobs are being released. */
export const releaseObject = defineObject({
  name: "release of a trigger's jobs",
  partition: "RELEASES",
  sort: (workspace: string, trigger: string) => `${workspace}#${trigger}`,
  ...inQueue(0),
  schema: z.object({ id: z.string(), of: z.string() }),
});

/** A queue that housekeeping has read each minute, by its trigger's id. */
export const polledQueueObject = defineObject({
  name: "queue that is read with keys",
  partition: "POLLS",
  sort: (workspace: string, trigger: string) => `${workspace}#${trigger}`,
  ...inQueue(0),
  schema: triggerRefSchema,
});

/** The trigger that receives the mails of an address. All workspaces share the domain. */
export const mailboxObject = defineObject({
  name: "mail address of a trigger",
  partition: "MAILBOXES",
  sort: (localPart: string) => localPart,
  belongsTo: "value",
  schema: triggerRefSchema,
});
