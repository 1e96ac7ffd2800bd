import { randomUUID } from "node:crypto";
import type { FoundNextRun } from "../../aws/dynamodb/schedule-table.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewSchedule, ScheduleChange } from "../../contract/routes/schedules/schedule.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import { parseHandlerPath } from "../../core/outcome-handlers/handler.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { pickSettings, type StoredSchedule, scheduleObject } from "../../core/schedules/schedule.ts";
import { findArgumentProblem } from "../execution/arguments/check-arguments.ts";
import type { RunTarget } from "../execution/requests/run-request.ts";
import { requireRunner } from "../flows/definitions/require-runnable.ts";
import { permitPath, permitRun } from "../identity/permit.ts";
import { requireActingFields } from "../identity/run-as.ts";
import { buildPathConditions, commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";
import { checkStoredArguments } from "../resources/stored-arguments.ts";
import { buildAclPart } from "../workspaces/acls.ts";
import { buildSavedRun, type NextRunDeps, nameLastRun, parseTarget, sendRun, toClock, toTargetKey } from "./next-run.ts";
import { requireSchedule } from "./read.ts";
import { resolveRunIdentity } from "./run-identity.ts";

export type SaveScheduleDeps = NextRunDeps;

type AtPath = WorkspaceCaller & { path: string };

const changed = (path: string) => new SvcError("schedule.changedMeanwhile", { path });

/**
 * Creates a schedule. Throws `schedule.invalid`, `schedule.exists`, `schedule.notPreserved`, `body.tooLarge`, `path.noFolder`, `workspace.notFound`,
 * `user.notFound`, `run.arguments`, `script.notFound` or `flow.notFound` for a runnable that the caller may not run, `reference.refused` for arguments
 * that refer to what the caller may not read, and `body.shape` for a handler whose language does not run here.
 */
export async function createSchedule(deps: SaveScheduleDeps, caller: WorkspaceCaller, request: NewSchedule): Promise<void> {
  const { actor, workspace } = caller;
  const { path, schedule, timezone, script_path: scriptPath, is_flow: isFlow, args } = request;
  permitPath(actor, actions.saveSchedule, workspace, path);
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
  await retryOnConflict(
    () =>
      tryCommit(deps, { workspace, schedule: value, target }, [
        ...buildPathConditions(workspace, path),
        {
          write: write.put({ ...scheduleObject.key(workspace, path), value, version: randomUUID() }, "absent"),
          refused: new SvcError("schedule.exists", { path }),
        },
      ]),
    () => changed(path),
  );
}

interface SavedSchedule {
  workspace: string;
  schedule: StoredSchedule;
  /** Absent for a schedule that gets no next run. */
  target?: RunTarget | undefined;
}

/** Commits the parts of a change together with those of the schedule's next run, then sends the run if it is near. Returns `undefined` after a conflict. */
async function tryCommit(
  deps: SaveScheduleDeps,
  { workspace, schedule, target }: SavedSchedule,
  change: TransactionPart[] | ((nextRun: FoundNextRun) => TransactionPart[]),
): Promise<{ done: undefined } | undefined> {
  const nextRun = await deps.schedules.get(workspace, schedule.path);
  const parts = Array.isArray(change) ? change : change(nextRun);
  const next = await buildSavedRun(deps, nextRun, { workspace, schedule, target });
  if (!(await commitParts(deps.objects, [...parts, ...next.parts]))) return undefined;
  await sendRun(deps, next.job);
  return { done: undefined };
}

/**
 * Replaces a schedule. A request of another user must name what the schedule runs. Throws as `createSchedule` does, `schedule.notFound` and
 * `identity.fieldsMissing`.
 */
export async function updateSchedule(deps: SaveScheduleDeps, caller: AtPath, request: ScheduleChange): Promise<void> {
  const { actor, workspace, path } = caller;
  if (request.path && request.path !== path) throw new SvcError("schedule.invalid", { field: "path", reason: "it cannot be changed" });
  const identity = await resolveRunIdentity(deps, caller, request);
  await changeSchedule(deps, caller, async ({ error: _, ...before }) => {
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
  });
}

/** Checks all arguments of a schedule, which are resolved with the rights of its user. Throws `reference.refused`. */
function checkArguments(deps: SaveScheduleDeps, caller: WorkspaceCaller, { args, settings }: StoredSchedule): Promise<void> {
  const { on_failure_extra_args, on_recovery_extra_args, on_success_extra_args } = settings;
  const handlerArgs = { on_failure_extra_args, on_recovery_extra_args, on_success_extra_args };
  return checkStoredArguments(deps, caller, { args, ...handlerArgs }, settings.retry);
}

/** Turns a schedule on or off. Throws `schedule.notFound`, and when it is turned on, also `script.notFound`, `flow.notFound`, `schedule.invalid`. */
export async function setScheduleEnabled(deps: SaveScheduleDeps, caller: AtPath, enabled: boolean): Promise<void> {
  const { actor, workspace } = caller;
  await changeSchedule(deps, caller, async (before) => {
    const { error: _, ...rest } = before;
    const value = { ...(enabled ? rest : before), enabled, editedBy: actor.username, editedAtMs: deps.nowMs() };
    return { schedule: value, target: enabled ? await checkSchedule(deps, { actor, workspace }, value) : undefined };
  });
}

/** Deletes a schedule with its next run and its extra permissions. Throws `schedule.notFound`. */
export async function deleteSchedule(deps: SaveScheduleDeps, workspace: string, path: string): Promise<void> {
  const key = scheduleObject.key(workspace, path);
  await retryOnConflict(
    async () => {
      const found = await deps.objects.get(key);
      const schedule = requireSchedule(found, path);
      return tryCommit(deps, { workspace, schedule }, [
        { write: write.remove(key, found && unchangedSince(found)), refused: undefined },
        await buildAclPart(deps, { workspace, kind: "schedule", path }),
      ]);
    },
    () => changed(path),
  );
}

/** Reads, changes and writes a schedule until no other writer interferes. Throws `schedule.notFound` and `schedule.changedMeanwhile`. */
async function changeSchedule(
  deps: SaveScheduleDeps,
  { workspace, path }: AtPath,
  change: (before: StoredSchedule) => Promise<Omit<SavedSchedule, "workspace">>,
): Promise<void> {
  const key = scheduleObject.key(workspace, path);
  await retryOnConflict(
    async () => {
      const found = await deps.objects.get(key);
      const saved = await change(requireSchedule(found, path));
      return tryCommit(deps, { workspace, ...saved }, (nextRun) => {
        const value = saved.schedule.enabled ? saved.schedule : { ...saved.schedule, ...nameLastRun(nextRun) };
        const replaced = write.put({ ...key, value, version: randomUUID() }, found && unchangedSince(found));
        return [{ write: replaced, refused: undefined }];
      });
    },
    () => changed(path),
  );
}

/** Checks what a schedule runs and when, and returns what it runs. Its caller must have the right to run it, also by the scopes of a token. */
async function checkSchedule(deps: SaveScheduleDeps, caller: WorkspaceCaller, value: StoredSchedule): Promise<RunTarget> {
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
  { objects }: SaveScheduleDeps,
  { actor, workspace }: WorkspaceCaller,
  named: Pick<StoredSchedule, "scriptPath" | "isFlow">,
): Promise<RunTarget> {
  const { scriptPath: path, isFlow } = named;
  permitRun(actor, workspace, { path, isFlow });
  const target = parseTarget(named, await objects.get(toTargetKey(workspace, named)));
  if (!target) throw new SvcError(isFlow ? "flow.notFound" : "script.notFound", { path });
  return target;
}
