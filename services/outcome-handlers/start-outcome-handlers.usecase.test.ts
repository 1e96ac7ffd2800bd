import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Action } from "../../contract/access/access-rule.ts";
import { actions } from "../../contract/access/actions.ts";
import { limits } from "../../contract/limits.ts";
import { flowBodyObject } from "../../core/flows/version.ts";
import { hasEnded, type Job, type QueuedJob } from "../../core/jobs/record/job.ts";
import type { Access } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { scriptBodyObject, scriptHeadObject } from "../../core/scripts/version.ts";
import { expectToSurviveFaults } from "../../test/support/use-cases/failing-writes.ts";
import { failure, success, type World } from "../../test/support/use-cases/world.ts";
import { addFlow } from "../../test/support/use-cases/world-flows.ts";
import { addJob, addScript, newScriptWorld, passLease, resumeDue, work } from "../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../execution/handle-job-message.ts";
import { runSync } from "../execution/requests/run-sync.ts";
import { loadJobActor } from "../identity/identify.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { loadJson } from "../jobs/values/values.ts";
import { getWorkspaceSettings } from "../settings/workspace.ts";
import { changeAccess } from "../workspaces/access.ts";
import { setWorkspaceArchived } from "../workspaces/archive.ts";
import { setWorkspaceHandler } from "../workspaces/handlers.ts";

let world: World;
let hash: string;
const HANDLER = "f/ops/alarm";
beforeAll(async () => {
  ({ world, hash } = await newScriptWorld());
  const { build, ...value } = await addScript(world, { path: HANDLER, params: ["error"] });
  await world.deps.objects.put({ ...scriptHeadObject.key(world.workspace, HANDLER), value, build });
});

/** Jobs of the handler that follow a job. */
const handlersOf = async (id: string): Promise<Job[]> => {
  const { entries } = await world.deps.jobs.list({ index: "parent", partition: id, limit: 100 });
  return world.deps.jobs.batchGet(entries.map((entry) => entry.id));
};
const argsOf = async (id: string) => {
  const handlers = await handlersOf(id);
  return Promise.all(handlers.map((job) => loadJson(world.deps, job, job.args)));
};
const runsOf = (id: string) => world.runs.filter(({ job }) => job === id).length;
const setError = (handler: Parameters<typeof setWorkspaceHandler>[3]) =>
  setWorkspaceHandler(world.deps, world.workspace, "error_handler", handler);
const setSuccess = (path: string | null) => setWorkspaceHandler(world.deps, world.workspace, "success_handler", { path });

/** Runs a job to its end, and then its follow-ups. */
async function run(fields: Partial<QueuedJob> = {}): Promise<QueuedJob> {
  const job = await addJob(world, { hash, ...fields });
  await handleJobMessage(world.deps, { job: job.id, hash: job.hash });
  await work(world);
  return job;
}

beforeEach(async () => {
  world.answers.run = async ({ env }) => (env["WM_JOB_PATH"] === HANDLER ? success(null) : failure("no disk"));
  await setError({ path: `script/${HANDLER}` });
  await setSuccess(null);
});

describe("the error handler of a workspace", () => {
  it("is called once with what failed, as the group of handlers", async () => {
    await setError({ path: `script/${HANDLER}`, extra_args: { channel: "ops", path: "not this", constructor: 1 } });
    expect(await getWorkspaceSettings(world.deps, world.workspace)).toMatchObject({
      error_handler: { extra_args: { channel: "ops", constructor: 1 } },
    });
    const { id } = await run();
    const expected = { path: "f/ops/hello", email: "ann@example.com", job_id: id, is_flow: false, workspace_id: world.workspace };
    expect(await argsOf(id)).toEqual([{ channel: "ops", constructor: 1, error: { name: "Error", message: "no disk" }, ...expected }]);
    expect(await handlersOf(id)).toMatchObject([
      { state: "succeeded", permissionedAs: "g/error_handler", createdBy: "error_handler", superAdmin: false, parent: id, root: id },
    ]);
    expect(await world.deps.jobs.get(id)).not.toHaveProperty("followUp");
    // A repeated message starts nothing, and housekeeping finds nothing to do.
    await world.deps.startFollowUps(id);
    await passLease(world);
    expect(await handlersOf(id)).toHaveLength(1);
  });

  it("is called for a flow, and may itself be a flow", async () => {
    const flow = await addFlow(world, "f/ops/report", [{ id: "a", value: { type: "identity" } }]);
    await setError({ path: `flow/${flow.path}` });
    const { id } = await run();
    expect(await handlersOf(id)).toMatchObject([{ kind: "flow", path: flow.path, permissionedAs: "g/error_handler" }]);
  });

  it.each<[string, Partial<QueuedJob>]>([
    ["a preview", { kind: "preview" }],
    ["a job with a parent", { parent: randomUUID() }],
    ["a step of a flow", { parent: randomUUID(), step: { id: "a", scope: "root", path: "a" } }],
    ["a handler", { isHandler: true }],
  ])("is not called for %s", async (_, fields) => {
    const { id } = await run(fields);
    expect(await handlersOf(id)).toEqual([]);
  });

  it("is not called when the handler itself fails, nor for what it starts", async () => {
    world.answers.run = async () => failure("no network either");
    const { id } = await run();
    const [handler] = await handlersOf(id);
    expect(handler).toMatchObject({ state: "failed", isHandler: true });
    expect(await handlersOf(handler?.id ?? "")).toEqual([]);
  });

  it("is called for a canceled job, unless it is muted for these", async () => {
    const cancelled = async () => {
      const job = await addJob(world, { hash });
      await cancelJob(world.deps, job, { by: "ann", reason: "wrong customer" });
      await work(world);
      return argsOf(job.id);
    };
    expect(await cancelled()).toMatchObject([{ error: { name: "Canceled", message: "Canceled by ann: wrong customer" } }]);
    await setError({ path: HANDLER, muted_on_cancel: true });
    expect(await cancelled()).toEqual([]);
  });

  it("is muted for the paths of users, and for a script that is muted, whether by its version or later", async () => {
    const calls = async (fields: Partial<QueuedJob>) => (await handlersOf((await run(fields)).id)).length;
    await setError({ path: HANDLER, muted_on_user_path: true });
    expect(await calls({ path: "u/ann/try" })).toBe(0);
    expect(await calls({})).toBe(1);
    const save = async (fields: Partial<Runnable>, sent: object) => {
      const script = await addScript(world, fields);
      const version = { sent: { ws_error_handler_muted: false, ...sent }, hash: script.hash };
      await world.deps.objects.put({ ...scriptBodyObject.key(world.workspace, script.hash), value: { json: JSON.stringify(version) } });
      return script.hash;
    };
    expect(await calls({ hash: await save({}, { ws_error_handler_muted: true }) })).toBe(0);
    expect(await calls({ hash: await save({ errorHandlerMuted: true }, {}) })).toBe(0);
    expect(await calls({ hash: await save({ errorHandlerMuted: false }, { ws_error_handler_muted: true }) })).toBe(1);
  });

  it("is muted for a flow that is muted", async () => {
    for (const muted of [true, false]) {
      const flow = await addFlow(world, `f/ops/muted-${muted}`, []);
      const sent = { version: flow.version, sent: { ws_error_handler_muted: muted } };
      await world.deps.objects.put({ ...flowBodyObject.key(world.workspace, flow.version), value: { json: JSON.stringify(sent) } });
      const fields = { kind: "flow" as const, path: flow.path, hash: flow.hash, flow: { version: flow.version, execution: 0 } };
      const job = await addJob(world, fields);
      await cancelJob(world.deps, job, { by: "ann", reason: "" });
      await work(world);
      expect(await argsOf(job.id)).toMatchObject(muted ? [] : [{ is_flow: true, path: flow.path }]);
    }
  });

  it("receives neither secrets nor references to them", async () => {
    world.answers.run = async ({ env }) => (env["WM_JOB_PATH"] === HANDLER ? success(null) : failure("$var:f/ops/key"));
    const { id } = await run();
    expect(await argsOf(id)).toMatchObject([{ error: { message: "\\$var:f/ops/key" } }]);
    const ended = await addJob(world, { hash });
    const redacted = JSON.stringify({ error: { name: "Error", message: "****" } });
    await world.deps.jobs.update(
      ended.id,
      {
        state: "failed",
        endedAtMs: world.clock.nowMs,
        followUp: true,
        result: { in: "head", json: '"a secret"' },
        redactedResult: { in: "head", json: redacted },
      },
      { attr: "state", eq: "queued" },
    );
    await world.deps.startFollowUps(ended.id);
    expect(await argsOf(ended.id)).toMatchObject([{ error: { message: "****" } }]);
  });

  it("learns that a result is too large, or was erased", async () => {
    const endWith = async (fields: object) => {
      const job = await addJob(world, { hash });
      const ended = { state: "failed" as const, endedAtMs: world.clock.nowMs, followUp: true, ...fields };
      await world.deps.jobs.update(job.id, { result: { in: "head", json: "null" }, ...ended }, { attr: "state", eq: "queued" });
      await world.deps.startFollowUps(job.id);
      return argsOf(job.id);
    };
    const large = { in: "s3", key: "jobs/none", bytes: limits.handlerResultBytes + 1 };
    expect(await endWith({ result: large })).toMatchObject([{ error: { name: "NotGiven", message: expect.stringContaining("bytes") } }]);
    expect(await endWith({ erased: true })).toMatchObject([{ error: { name: "NotGiven", message: expect.stringContaining("erased") } }]);
  });

  it("is started exactly once, whichever write fails between the end of the job and the start of the handler", async () => {
    const writes = await expectToSurviveFaults(async () => {
      const job = await addJob(world, { hash });
      return {
        act: () => run2(job),
        recover: () => passLease(world, 3),
        check: async () => {
          const handlers = await handlersOf(job.id);
          expect(handlers).toHaveLength(1);
          const [handler] = handlers;
          expect(handler && hasEnded(handler)).toBe(true);
          expect(runsOf(handler?.id ?? "")).toBeGreaterThan(0);
          expect(await world.deps.jobs.get(job.id)).not.toHaveProperty("followUp");
        },
      };
    });
    expect(writes).toBeGreaterThan(5);
  });
  const run2 = async ({ id }: Job) => {
    await handleJobMessage(world.deps, { job: id, hash });
    await work(world);
  };

  it("does not change the time at which the job is erased", async () => {
    const { id } = await run({ eraseAfterS: 3600 });
    expect(await handlersOf(id)).toHaveLength(1);
    world.clock.nowMs += 3600_000;
    await resumeDue(world);
    expect(await world.deps.jobs.get(id)).toMatchObject({ erased: true });
  });

  it("is not started if it does not exist or the workspace is archived, and nothing remains to be done", async () => {
    await setError({ path: "script/f/ops/gone" });
    const [{ id }, { id: archived }] = [await run(), await addJob(world, { hash })];
    await setError({ path: HANDLER });
    await handleJobMessage(world.deps, { job: archived, hash });
    await setWorkspaceArchived(world.deps, world.workspace, true);
    await work(world);
    await setWorkspaceArchived(world.deps, world.workspace, false);
    for (const job of [id, archived]) {
      expect(await handlersOf(job)).toEqual([]);
      expect(await world.deps.jobs.get(job)).not.toHaveProperty("followUp");
    }
  });

  it("runs with the rights of its group alone", async () => {
    const { id } = await run();
    const [handler] = await handlersOf(id);
    const group = "g/error_handler";
    const share = (access: Access) => {
      access.folders["alarms"] = { owners: [], perms: { [group]: true } };
      access.objects["variable f/ops/key"] = { [group]: false };
    };
    await changeAccess(world.deps.objects, world.workspace, share, { by: "bounded" });
    const actor = handler && (await loadJobActor(world.deps.objects, handler));
    const allowed = (action: Action, path?: string) =>
      actor !== undefined && may(actor, action.access, { workspace: world.workspace, path });
    const variable = { name: "variable", access: { domain: "variables", verb: "write", need: "write", target: "none" } } as const;
    expect([allowed(actions.readVariable, "f/ops/key"), allowed(actions.readVariable, "f/ops/other")]).toEqual([true, false]);
    expect([allowed(variable, "f/alarms/seen"), allowed(variable, "f/ops/key"), allowed(variable, "u/error_handler/x")]).toEqual([
      true,
      false,
      false,
    ]);
    // An object without a path belongs to the workspace.
    expect([allowed(variable), allowed(actions.updateMember)]).toEqual([false, false]);
    expect(actor).toMatchObject({ superAdmin: false, permissionedAs: group, isHandler: true });
  });
});

describe("the success handler of a workspace", () => {
  beforeEach(() => {
    world.answers.run = async () => success({ rows: 3 });
  });

  it("is called with the result of a job that was created while it was set", async () => {
    await setSuccess(HANDLER);
    const { id } = await run({ successHandled: true });
    const expected = { path: "f/ops/hello", email: "ann@example.com", job_id: id, is_flow: false, workspace_id: world.workspace };
    expect(await argsOf(id)).toEqual([{ result: { rows: 3 }, ...expected }]);
  });

  it("is called for a longer run that was created before it was set, and not after it was removed", async () => {
    const job = await addJob(world, { hash });
    await setSuccess(HANDLER);
    world.clock.nowMs += 61_000;
    await handleJobMessage(world.deps, { job: job.id, hash });
    await work(world);
    expect(await handlersOf(job.id)).toHaveLength(1);
    await setSuccess(null);
    const { id } = await run({ successHandled: true });
    expect(await handlersOf(id)).toEqual([]);
  });

  it("is called after a synchronous run, also of one with a cached result", async () => {
    await setSuccess(HANDLER);
    const script = await addScript(world, { cacheTtlS: 600 });
    const actor = {
      kind: "person" as const,
      email: "ann@example.com",
      username: "ann",
      superAdmin: true,
      tokenHash: "",
      tokenPrefix: "",
      successHandled: true as const,
    };
    const { path, hash: version } = script;
    const newJob = { actor, workspace: world.workspace, kind: "script" as const, path, hash: version, args: { n: 1 }, cacheTtlS: 600 };
    for (const cached of [false, true]) {
      const result = await runSync(world.deps, newJob, script, 5000);
      expect(result).toMatchObject({ cached, resultJson: '{"rows":3}' });
      await work(world);
      expect(await argsOf(result.id)).toMatchObject([{ result: { rows: 3 } }]);
    }
  });
});
