import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { NewSchedule, ScheduleChange } from "../../contract/routes/schedules/schedule.ts";
import { keys } from "../../core/objects/keys.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { parseTiming } from "../../core/schedules/cron.ts";
import { pickSettings, type StoredSchedule } from "../../core/schedules/schedule.ts";
import { requireNewestFlow } from "../flows/definitions/load.ts";
import { permit, permitPath } from "../identity/permit.ts";
import { buildPathConditions, commitParts, retryOnConflict } from "../outbox/commit-parts.ts";
import { requireNewestScript } from "../scripts/load.ts";
import { buildAclPart } from "../workspaces/acls.ts";
import { requireSchedule } from "./read.ts";
import { resolveRunIdentity } from "./run-identity.ts";

export interface SaveScheduleDeps {
  objects: ObjectTable;
  nowMs: () => number;
}

type AtPath = WorkspaceCaller & { path: string };

const changed = (path: string) => new SvcError("schedule.changedMeanwhile", { path });

/**
 * Creates a schedule. Throws `schedule.invalid`, `schedule.exists`, `schedule.notPreserved`, `body.tooLarge`, `path.noFolder`, `workspace.notFound`,
 * `user.notFound`, and `script.notFound` or `flow.notFound` for a runnable that the caller may not run.
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
  await checkSchedule(deps, caller, value);
  const stored = await commitParts(deps.objects, [
    ...buildPathConditions(workspace, path),
    {
      write: write.put({ ...keys.schedule(workspace, path), value, version: randomUUID() }, "absent"),
      refused: new SvcError("schedule.exists", { path }),
    },
  ]);
  if (!stored) throw changed(path);
}

/** Replaces a schedule. Throws as `createSchedule` does, and `schedule.notFound`. */
export async function updateSchedule(deps: SaveScheduleDeps, caller: AtPath, request: ScheduleChange): Promise<void> {
  const { actor, workspace, path } = caller;
  if (request.path && request.path !== path) throw new SvcError("schedule.invalid", { field: "path", reason: "it cannot be changed" });
  const identity = await resolveRunIdentity(deps, caller, request);
  await changeSchedule(deps, caller, async ({ error: _, ...before }) => {
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
    await checkSchedule(deps, { actor, workspace }, value);
    return value;
  });
}

/** Turns a schedule on or off. Throws `schedule.notFound`, and when it is turned on, also `script.notFound`, `flow.notFound`, `schedule.invalid`. */
export async function setScheduleEnabled(deps: SaveScheduleDeps, caller: AtPath, enabled: boolean): Promise<void> {
  const { actor, workspace } = caller;
  await changeSchedule(deps, caller, async (before) => {
    const { error: _, ...rest } = before;
    const value = { ...(enabled ? rest : before), enabled, editedBy: actor.username, editedAtMs: deps.nowMs() };
    if (enabled) await checkSchedule(deps, { actor, workspace }, value);
    return value;
  });
}

/** Deletes a schedule with its extra permissions. Throws `schedule.notFound`. */
export async function deleteSchedule(deps: SaveScheduleDeps, workspace: string, path: string): Promise<void> {
  await retryOnConflict(
    async () => {
      const found = await deps.objects.get(keys.schedule(workspace, path));
      requireSchedule(found, path);
      const stored = await commitParts(deps.objects, [
        { write: write.remove(keys.schedule(workspace, path), found && unchangedSince(found)), refused: undefined },
        await buildAclPart(deps, { workspace, kind: "schedule", path }),
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(path),
  );
}

/** Reads, changes and writes a schedule until no other writer interferes. Throws `schedule.notFound` and `schedule.changedMeanwhile`. */
async function changeSchedule(
  deps: SaveScheduleDeps,
  { workspace, path }: AtPath,
  change: (before: StoredSchedule) => Promise<StoredSchedule>,
): Promise<void> {
  await retryOnConflict(
    async () => {
      const found = await deps.objects.get(keys.schedule(workspace, path));
      const value = await change(requireSchedule(found, path));
      const stored = await commitParts(deps.objects, [
        {
          write: write.put({ ...keys.schedule(workspace, path), value, version: randomUUID() }, found && unchangedSince(found)),
          refused: undefined,
        },
      ]);
      return stored ? { done: undefined } : undefined;
    },
    () => changed(path),
  );
}

/** Checks what a schedule runs and when. Its caller must have the right to run it, also by the scopes of a token. */
async function checkSchedule({ objects }: SaveScheduleDeps, { actor, workspace }: WorkspaceCaller, value: StoredSchedule): Promise<void> {
  const { schedule, timezone, settings, scriptPath, isFlow, args } = value;
  parseTiming({ schedule, timezone, cronVersion: settings.cron_version ?? undefined });
  if (Buffer.byteLength(JSON.stringify(args)) > limits.scheduleArgsBytes) {
    throw new SvcError("body.tooLarge", { limitBytes: limits.scheduleArgsBytes, what: "args" });
  }
  const target = { workspace, path: scriptPath };
  if (isFlow) {
    permit(actor, actions.runFlow, target, () => new SvcError("flow.notFound", { path: scriptPath }));
    requireNewestFlow(await objects.get(keys.flowHead(workspace, scriptPath)), scriptPath);
  } else {
    permit(actor, actions.runScript, target, () => new SvcError("script.notFound", { path: scriptPath }));
    requireNewestScript(await objects.get(keys.scriptHead(workspace, scriptPath)), scriptPath);
  }
}
