import type { TriggerKind } from "../../../contract/routes/triggers/trigger-kind.ts";
import type { ErrorHandler, FileStorage } from "../../../contract/routes/workspaces/setting-schemas.ts";
import { parseResourceValue, type StoredResource } from "../../resources/resource.ts";
import type { StoredSchedule } from "../../schedules/schedule.ts";
import type { StoredTrigger } from "../../triggers/trigger.ts";
import { isHandlerTarget, isRunTarget, listReferringFields, type MentionTarget, refersTo } from "./mention-target.ts";

/** Returns the fields of a schedule that mention the target. */
export function findInSchedule(target: MentionTarget, schedule: StoredSchedule): string[] {
  const { args, settings } = schedule;
  return [
    ...(isRunTarget(target, schedule) ? ["script_path"] : []),
    ...(["on_failure", "on_recovery", "on_success"] as const).flatMap((name) => [
      ...(isHandlerTarget(target, settings[name]) ? [name] : []),
      ...listReferringFields(target, `${name}_extra_args`, settings[`${name}_extra_args`]),
    ]),
    ...(target.kind === "script" && settings.dynamic_skip === target.path ? ["dynamic_skip"] : []),
    ...listReferringFields(target, "args", args),
  ];
}

/** The fields of a kind of triggers that contain the path of a resource. */
const resourceFields: Partial<Record<TriggerKind, string>> = { http: "authentication_resource_path", sqs: "aws_resource_path" };

/** Returns the fields of a trigger that mention the target. */
export function findInTrigger(target: MentionTarget, trigger: StoredTrigger): string[] {
  const { kind, own, errorHandlerPath, errorHandlerArgs } = trigger;
  const field = resourceFields[kind];
  const hasResource = target.kind === "resource" && field !== undefined && own[field] === target.path;
  return [
    ...(isRunTarget(target, trigger) ? ["script_path"] : []),
    ...(isHandlerTarget(target, errorHandlerPath) ? ["error_handler_path"] : []),
    ...listReferringFields(target, "error_handler_args", errorHandlerArgs),
    ...(hasResource ? [field] : []),
  ];
}

/** Returns the fields of a resource's value that refer to the target. */
export function findInResource(target: MentionTarget, resource: StoredResource): string[] {
  const value = parseResourceValue(resource);
  if (typeof value !== "object" || value === null) return refersTo(target, value) ? ["value"] : [];
  return listReferringFields(target, "value", value);
}

/** Returns the fields of a handler of the workspace that mention the target. */
export const findInHandler = (target: MentionTarget, { path, extra_args }: ErrorHandler): string[] => [
  ...(isHandlerTarget(target, path) ? ["path"] : []),
  ...listReferringFields(target, "extra_args", extra_args),
];

/** Returns the fields of the workspace's storages that name the target. */
export function findInStorage({ kind, path }: MentionTarget, storage: FileStorage): string[] {
  if (kind !== "resource" || storage.type === "none") return [];
  const secondary = Object.entries(storage.secondary_storage ?? {});
  return [
    ...(storage.type === "S3Storage" && storage.s3_resource_path === path ? ["s3_resource_path"] : []),
    ...secondary.flatMap(([name, one]) => (one.s3_resource_path === path ? [`secondary_storage.${name}`] : [])),
  ];
}
