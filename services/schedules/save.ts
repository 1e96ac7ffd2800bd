import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewSchedule, ScheduleChange } from "../../contract/routes/schedules/schedule.ts";
import { parseHandlerPath } from "../../core/outcome-handlers/handler.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { pickSettings, type StoredSchedule, scheduleObject } from "../../core/schedules/schedule.ts";
import { toSearchText } from "../../core/search/index-items.ts";
import { findArgumentProblem } from "../execution/arguments/check-arguments.ts";
import type { RunTarget } from "../execution/requests/run-request.ts";
import { requireRunner } from "../flows/definitions/require-runnable.ts";
import { permitRun } from "../identity/permit.ts";
import { requireActingFields } from "../identity/run-as.ts";
import type { ObjectTarget, PathKind } from "../objects/path-kind.ts";
import { removeObject } from "../objects/remove-object.ts";
import { changeObject, createObject } from "../objects/save-object.ts";
import { checkStoredArguments } from "../resources/stored-arguments.ts";
import { buildSavedRun, type NextRunDeps, nameLastRun, parseTarget, sendRun, toClock, toTargetKey } from "./next-run.ts";
import { resolveRunIdentity } from "./run-identity.ts";

export const scheduleKind: PathKind<StoredSchedule> = {
  key: scheduleObject.key,
  parse: scheduleObject.parse,
  permissions: "schedule",
  toSearchText: ({ settings }) => toSearchText(settings),
  save: actions.saveSchedule,
  exists: (path) => new SvcError("schedule.exists", { path }),
  notFound: (path) => new SvcError("schedule.notFound", { path }),
  changed: (path) => new SvcError("schedule.changedMeanwhile", { path }),
  buildCopies: undefined,
};

/**
 * Creates a schedule. Throws `schedule.invalid`, `schedule.exists`, `schedule.notPreserved`, `body.tooLarge`, `path.noFolder`, `workspace.notFound`,
 * `user.notFound`, `run.arguments`, `script.notFound` or `flow.notFound` for a runnable that the caller may not run, `reference.refused` for arguments
 * that refer to what the caller may not read, and `body.shape` for a handler whose language does not run here.
 */
export async function createSchedule(deps: NextRunDeps, caller: WorkspaceCaller, request: NewSchedule): Promise<void> {
  const { actor, workspace } = caller;
  const { path, schedule, timezone, script_path: scriptPath, is_flow: isFlow, args } = request;
  const { job } = await createObject(deps, scheduleKind, { actor, workspace, path }, async () => {
    const identity = await resolveRunIdentity(deps, caller, request);
    const value: StoredSchedule = {
      id: randomUUID(),
      path,
      schedule,
      timezone,
      enabled: request.enabled ?? true,
      scriptPath,
      isFlow,
      args: args ?? {},
      ...identity,
      editedBy: actor.username,
      editedAtMs: deps.nowMs(),
      settings: pickSettings(request),
    };
    await checkArguments(deps, caller, value);
    const target = await checkSchedule(deps, caller, value);
    return async () => {
      const { parts, job } = await buildSavedRun(deps, await deps.schedules.get(workspace, path), { workspace, schedule: value, target });
      return { value, parts, sent: undefined, job };
    };
  });
  await sendRun(deps, job);
}

interface SavedSchedule {
  schedule: StoredSchedule;
  /** Absent for a schedule that gets no next run. */
  target?: RunTarget | undefined;
}

/**
 * Replaces a schedule. A request of another user must name what the schedule runs. Throws as `createSchedule` does, `schedule.notFound`,
 * `object.versionChanged` and `identity.fieldsMissing`.
 */
export async function updateSchedule(deps: NextRunDeps, caller: ObjectTarget, request: ScheduleChange): Promise<void> {
  const { actor, workspace, path } = caller;
  if (request.path && request.path !== path) throw new SvcError("schedule.invalid", { field: "path", reason: "it cannot be changed" });
  await changeSchedule(deps, caller, async () => {
    const identity = await resolveRunIdentity(deps, caller, request);
    return async ({ error: _, ...before }) => {
      requireActingFields(before, identity, {
        script_path: request.script_path == null ? before.scriptPath : undefined,
        is_flow: request.is_flow == null ? before.isFlow : undefined,
      });
      const value: StoredSchedule = {
        ...before,
        schedule: request.schedule,
        timezone: request.timezone,
        enabled: request.enabled ?? before.enabled,
        scriptPath: request.script_path ?? before.scriptPath,
        isFlow: request.is_flow ?? before.isFlow,
        args: request.args ?? {},
        ...identity,
        editedBy: actor.username,
        editedAtMs: deps.nowMs(),
        settings: pickSettings(request),
      };
      await checkArguments(deps, { actor, workspace }, value);
      return { schedule: value, target: await checkSchedule(deps, { actor, workspace }, value) };
    };
  });
}

/** Checks all arguments of a schedule, which are resolved with the rights of its user. Throws `reference.refused`. */
function checkArguments(deps: NextRunDeps, caller: WorkspaceCaller, { args, settings }: StoredSchedule): Promise<void> {
  const { on_failure_extra_args, on_recovery_extra_args, on_success_extra_args } = settings;
  const handlerArgs = { on_failure_extra_args, on_recovery_extra_args, on_success_extra_args };
  return checkStoredArguments(deps, caller, { args, ...handlerArgs }, settings.retry);
}

/** Turns a schedule on or off. Throws `schedule.notFound`, `object.versionChanged`, and when it is turned on, also `script.notFound`, `flow.notFound`, `schedule.invalid`. */
export async function setScheduleEnabled(deps: NextRunDeps, caller: ObjectTarget, enabled: boolean): Promise<void> {
  const { actor, workspace } = caller;
  await changeSchedule(deps, caller, async () => async (before) => {
    const { error: _, ...rest } = before;
    const value = { ...(enabled ? rest : before), enabled, editedBy: actor.username, editedAtMs: deps.nowMs() };
    return { schedule: value, target: enabled ? await checkSchedule(deps, { actor, workspace }, value) : undefined };
  });
}

/** Deletes a schedule with its next run and its extra permissions. Throws `schedule.notFound`, `object.versionChanged`. */
export async function deleteSchedule(deps: NextRunDeps, target: ObjectTarget): Promise<void> {
  const { workspace, path } = target;
  await removeObject(deps, scheduleKind, target, async (schedule) => {
    const found = await deps.schedules.get(workspace, path);
    const { parts } = await buildSavedRun(deps, found, { workspace, schedule, target: undefined });
    return { parts, sent: undefined };
  });
}

/** Changes a schedule together with its next run, and sends the run if it is near. Throws `schedule.notFound` and `schedule.changedMeanwhile`. */
async function changeSchedule(
  deps: NextRunDeps,
  caller: ObjectTarget,
  prepare: () => Promise<(before: StoredSchedule) => Promise<SavedSchedule>>,
): Promise<void> {
  const { workspace, path } = caller;
  const { job } = await changeObject(deps, scheduleKind, caller, async () => {
    const change = await prepare();
    return async (before) => {
      const saved = await change(before);
      const nextRun = await deps.schedules.get(workspace, path);
      const { parts, job } = await buildSavedRun(deps, nextRun, { target: undefined, workspace, ...saved });
      const value = saved.schedule.enabled ? saved.schedule : { ...saved.schedule, ...nameLastRun(nextRun) };
      return { value, parts, sent: undefined, job };
    };
  });
  await sendRun(deps, job);
}

/**
 * Checks the script or flow and the timing of a schedule, and returns the script or flow. The caller, with the scopes of the token, must have the
 * right to run it.
 */
async function checkSchedule(deps: NextRunDeps, caller: WorkspaceCaller, value: StoredSchedule): Promise<RunTarget> {
  const { args, settings } = value;
  toClock(value);
  if (Buffer.byteLength(JSON.stringify(args)) > limits.scheduleArgsBytes) {
    throw new SvcError("body.tooLarge", { limitBytes: limits.scheduleArgsBytes, what: "args" });
  }
  for (const field of ["dynamic_skip", "on_failure", "on_recovery", "on_success"] as const) {
    const named = parseHandlerPath(settings[field] ?? "");
    if (!named) continue;
    const handler = await requireTarget(deps, caller, { scriptPath: named.path, isFlow: named.kind === "flow" });
    if (handler.kind === "script") requireRunner(handler.version, field);
  }
  const target = await requireTarget(deps, caller, value);
  const problem = await findArgumentProblem(target.version, args);
  if (problem) throw problem;
  return target;
}

async function requireTarget(
  { objects }: NextRunDeps,
  { actor, workspace }: WorkspaceCaller,
  named: Pick<StoredSchedule, "scriptPath" | "isFlow">,
): Promise<RunTarget> {
  const { scriptPath: path, isFlow } = named;
  permitRun(actor, workspace, { path, isFlow });
  const target = parseTarget(named, await objects.get(toTargetKey(workspace, named)));
  if (!target) throw new SvcError(isFlow ? "flow.notFound" : "script.notFound", { path });
  return target;
}
