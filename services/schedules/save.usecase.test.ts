import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { scheduleChangeSchema } from "../../contract/routes/schedules/schedule.ts";
import type { Person } from "../../core/people/actor.ts";
import type { World } from "../../test/support/use-cases/world.ts";
import { addFlow } from "../../test/support/use-cases/world-flows.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { addSchedule, addScriptAt, aScheduleRequest, newScheduleWorld } from "../../test/support/use-cases/world-schedules.ts";
import { changeAcl, getAcl } from "../workspaces/acls.ts";
import { getSchedule, listSchedules } from "./read.ts";
import { createSchedule, deleteSchedule, setScheduleEnabled, updateSchedule } from "./save.ts";

let world: World;
beforeAll(async () => {
  world = await newScheduleWorld();
  for (const handler of ["alarm", "recovered", "done"]) await addScriptAt(world, `f/ops/${handler}`);
});

const load = (path: string) => getSchedule(world.deps, world.workspace, path).then(({ json }) => json);
const create = (actor: Person, fields: Parameters<typeof aScheduleRequest>[0]) =>
  createSchedule(world.deps, { actor, workspace: world.workspace }, aScheduleRequest(fields));
const aChange = (fields: object = {}) =>
  scheduleChangeSchema.parse({ schedule: "0 5 * * *", timezone: "Europe/Berlin", args: { a: 1 }, ...fields });
const update = (path: string, fields: object = {}, actor: Person = anAdmin) =>
  updateSchedule(world.deps, { actor, workspace: world.workspace, path }, aChange(fields));
/** A member with write access to `f/t` who may run the scripts in `f/ops`. */
const aWriter = (): Person => ({
  ...aReader(world.workspace, []),
  rights: { workspace: world.workspace, role: "developer", groups: [], folders: { t: "write", ops: "read" }, objects: {} },
});

/** Numbers that a table cannot store. */
const unstorable = { large: 1e300, small: 1e-200, digits: 10n ** 40n + 1n };

describe.each(Object.entries(unstorable))("a schedule with a number of this kind: %s", (_, value) => {
  it.each(["args", "on_failure_extra_args", "on_recovery_extra_args", "on_success_extra_args"])("in %s is refused", async (field) => {
    const fields = { on_failure: "script/f/ops/alarm", on_recovery: "script/f/ops/recovered", on_success: "script/f/ops/done" };
    await expect(addSchedule(world, { ...fields, [field]: { a: value } })).rejects.toMatchObject({ code: "body.number" });
  });
});

describe("createSchedule", () => {
  it("stores every setting and returns it", async () => {
    const settings = {
      summary: "Nightly",
      description: "Runs at night.",
      on_failure: "script/f/ops/alarm",
      on_failure_times: 3,
      on_failure_exact: true,
      on_failure_extra_args: { channel: "ops" },
      on_recovery: "script/f/ops/recovered",
      on_recovery_times: 2,
      on_recovery_extra_args: { b: [1] },
      on_success: "script/f/ops/done",
      on_success_extra_args: {},
      ws_error_handler_muted: true,
      retry: { constant: { attempts: 2, seconds: 5 } },
      no_flow_overlap: true,
      tag: "slow",
      paused_until: "2030-01-01T00:00:00Z",
      cron_version: "v1" as const,
      dynamic_skip: "f/ops/holiday",
      labels: ["night"],
    };
    await addScriptAt(world, "f/ops/holiday");
    const path = await addSchedule(world, { ...settings, schedule: "0 30 2 * * 2", timezone: "America/New_York", args: { name: "x" } });
    expect(await load(path)).toMatchObject({
      workspace_id: world.workspace,
      path,
      schedule: "0 30 2 * * 2",
      timezone: "America/New_York",
      enabled: true,
      script_path: "f/ops/hello",
      is_flow: false,
      args: { name: "x" },
      extra_perms: {},
      email: anAdmin.email,
      permissioned_as: "u/ann",
      edited_by: "ann",
      edited_at: new Date(world.clock.nowMs).toISOString(),
      ...settings,
    });
  });

  it("refuses a second schedule at a path, and a path in a folder that does not exist", async () => {
    const path = await addSchedule(world);
    await expect(create(anAdmin, { path })).rejects.toMatchObject({ code: "schedule.exists" });
    await expect(create(anAdmin, { path: "f/none/x" })).rejects.toMatchObject({ code: "path.noFolder" });
  });

  it("refuses a script, flow or time that cannot be used", async () => {
    await expect(create(anAdmin, { script_path: "f/ops/none" })).rejects.toMatchObject({ code: "script.notFound" });
    await expect(create(anAdmin, { dynamic_skip: "f/ops/none" })).rejects.toMatchObject({ code: "script.notFound" });
    await expect(create(aWriter(), { dynamic_skip: "f/secret/check" })).rejects.toMatchObject({ code: "script.notFound" });
    for (const field of ["on_failure", "on_recovery", "on_success"]) {
      await expect(create(anAdmin, { [field]: "script/f/ops/none" })).rejects.toMatchObject({ code: "script.notFound" });
      await expect(create(anAdmin, { [field]: "flow/f/ops/hello" })).rejects.toMatchObject({ code: "flow.notFound" });
    }
    await expect(create(anAdmin, { is_flow: true })).rejects.toMatchObject({ code: "flow.notFound" });
    const invalid = { code: "schedule.invalid" };
    await expect(create(anAdmin, { schedule: "x" })).rejects.toMatchObject({ ...invalid, details: { field: "schedule" } });
    await expect(create(anAdmin, { schedule: "0 0 30 2 *" })).rejects.toMatchObject({ ...invalid, details: { field: "schedule" } });
    await expect(create(anAdmin, { timezone: "Nowhere" })).rejects.toMatchObject({ ...invalid, details: { field: "timezone" } });
    await expect(create(anAdmin, { args: { text: "x".repeat(200_000) } })).rejects.toMatchObject({ code: "body.tooLarge" });
  });

  it("is refused without the right to run the script, also by the scopes of a token", async () => {
    const writer = aWriter();
    const rights = { ...writer.rights, folders: { t: "write" } } as NonNullable<Person["rights"]>;
    await expect(create({ ...writer, rights }, {})).rejects.toMatchObject({ code: "script.notFound" });
    await expect(create({ ...writer, scopes: ["schedules:write"] }, {})).rejects.toMatchObject({ code: "auth.forbidden" });
    await create({ ...writer, scopes: ["schedules:write", "jobs:run:scripts:f/ops/*"] }, {});
  });

  it("runs as the caller, unless an admin preserves another member", async () => {
    const preserved = { permissioned_as: "u/ann", preserve_permissioned_as: true };
    await expect(create(aWriter(), preserved)).rejects.toMatchObject({ code: "schedule.notPreserved" });
    const bob = `f/t/${randomUUID()}`;
    await create(aWriter(), { path: bob, permissioned_as: "u/ann" });
    expect(await load(bob)).toMatchObject({ permissioned_as: "u/bob", email: "bob@example.com" });
    const admin = { ...anAdmin, email: "root@example.com", username: "root" };
    const path = `f/t/${randomUUID()}`;
    await create(admin, { path, ...preserved });
    expect(await load(path)).toMatchObject({ permissioned_as: "u/ann", email: "ann@example.com", edited_by: "root" });
    await expect(create(admin, { ...preserved, permissioned_as: "u/none" })).rejects.toMatchObject({ code: "user.notFound" });
  });
});

describe("updateSchedule", () => {
  it("replaces the settings, removes those that are omitted, and accepts another runnable and another state", async () => {
    const path = await addSchedule(world, { summary: "old", on_failure: "script/f/ops/alarm" });
    await update(path, { enabled: false, script_path: "f/ops/hello", is_flow: false, description: "new" });
    const { summary, on_failure, ...now } = await load(path);
    expect({ summary, on_failure }).toEqual({});
    expect(now).toMatchObject({ schedule: "0 5 * * *", timezone: "Europe/Berlin", enabled: false, args: { a: 1 }, description: "new" });
  });

  it("throws for a schedule that does not exist, and for another path", async () => {
    await expect(update("f/t/none")).rejects.toMatchObject({ code: "schedule.notFound" });
    await expect(update(await addSchedule(world), { path: "f/t/other" })).rejects.toMatchObject({ details: { field: "path" } });
  });

  it("makes the runs act for the caller who changes it", async () => {
    const path = await addSchedule(world);
    await update(path, { script_path: "f/ops/hello", is_flow: false }, aWriter());
    expect(await load(path)).toMatchObject({ permissioned_as: "u/bob" });
  });
});

it("setScheduleEnabled leaves the identity of the runs unchanged", async () => {
  const path = await addSchedule(world);
  await setScheduleEnabled(world.deps, { actor: aWriter(), workspace: world.workspace, path }, false);
  expect(await load(path)).toMatchObject({ enabled: false, permissioned_as: "u/ann", edited_by: "bob" });
});

it("a deleted schedule takes its extra permissions with it", async () => {
  const path = await addSchedule(world);
  const target = { workspace: world.workspace, kind: "schedule", path };
  await changeAcl(world.deps, anAdmin, target, { owner: "u/bob", right: true });
  await deleteSchedule(world.deps, { actor: anAdmin, workspace: world.workspace, path });
  expect(await getAcl(world.deps, target)).toEqual({});
  await expect(load(path)).rejects.toMatchObject({ code: "schedule.notFound" });
});

describe("listSchedules", () => {
  it("finds schedules by each filter, and only visible ones", async () => {
    const one = await addSchedule(world, {
      summary: "Alpha sum",
      description: "Beta desc",
      labels: ["gamma"],
      args: { k: { n: 1, m: 2 } },
    });
    const find = async (query: object) =>
      (await listSchedules(world.deps, world.workspace, { per_page: 100, ...query }, () => true)).map(({ path }) => path);
    for (const query of [
      { summary: "alpha" },
      { description: "beta" },
      { label: "gamma" },
      { args: '{"k":{"n":1}}' },
      { schedule_path: one.slice(4, 12) },
      { path_start: one },
      { broad_filter: "BETA" },
    ]) {
      expect(await find(query), JSON.stringify(query)).toEqual([one]);
    }
    expect(await find({ path: "f/ops/hello", is_flow: "false" })).toContain(one);
    expect(await find({ is_flow: "true" })).toEqual([]);
    expect(await find({ path: "f/ops/other" })).toEqual([]);
    await expect(find({ args: "{" })).rejects.toMatchObject({ details: { field: "args" } });
    expect(await listSchedules(world.deps, world.workspace, {}, () => false)).toEqual([]);
  });
});

describe("a handler of a schedule that can never run is refused:", () => {
  const fields = ["on_failure", "on_recovery", "on_success"] as const;
  it.each([...fields.map((field) => [field, "script/f/ops/rust"] as const), ["dynamic_skip", "f/ops/rust"] as const])(
    "a script in a language that does not run here, as %s",
    async (field, path) => {
      await addScriptAt(world, "f/ops/rust", { language: "rust", runner: undefined });
      const issues = [{ path: field, reason: "f/ops/rust is written in rust, which does not run here" }];
      await expect(create(anAdmin, { [field]: path })).rejects.toMatchObject({ code: "body.shape", details: { issues } });
    },
  );

  it.each(fields)("a script whose path is that of a flow, as %s, and the reverse", async (field) => {
    await addFlow(world, "f/ops/flow", []);
    await expect(create(anAdmin, { [field]: "script/f/ops/flow" })).rejects.toMatchObject({ code: "script.notFound" });
    await expect(create(anAdmin, { [field]: "flow/f/ops/alarm" })).rejects.toMatchObject({ code: "flow.notFound" });
    await create(anAdmin, { [field]: "flow/f/ops/flow" });
  });
});
