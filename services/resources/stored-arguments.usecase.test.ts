import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Route } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import { scheduleChangeSchema } from "../../contract/routes/schedules/schedule.ts";
import { type AppChange, appChangeSchema, newAppSchema } from "../../contract/routes/stored/apps.ts";
import { newResourceSchema } from "../../contract/routes/stored/resources.ts";
import { type TriggerKind, triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { changedTriggerSchemas, ownFieldSchemas } from "../../contract/routes/triggers/trigger-kinds.ts";
import type { Person } from "../../core/people/actor.ts";
import { usernameObject } from "../../core/people/membership.ts";
import { personKey } from "../../core/people/person.ts";
import { memberObject } from "../../core/permissions/access.ts";
import { fieldsOfBody, isOpen } from "../../test/support/schemas-in.ts";
import { anAdmin, aReader } from "../../test/support/use-cases/world-people.ts";
import { aScheduleRequest } from "../../test/support/use-cases/world-schedules.ts";
import { newTriggerWorld, type TriggerWorld } from "../../test/support/use-cases/world-triggers.ts";
import { getApp } from "../apps/read.ts";
import { createApp, updateApp } from "../apps/save.ts";
import { createFolder } from "../folders/folders.ts";
import { saveWorkspaceHandler } from "../outcome-handlers/save-handler.ts";
import { getSchedule } from "../schedules/read.ts";
import { createSchedule, updateSchedule } from "../schedules/save.ts";
import { setGlobalSetting } from "../settings/instance.ts";
import { getTrigger } from "../triggers/read.ts";
import { createResource, updateResource } from "./save.ts";

let world: TriggerWorld;
beforeAll(async () => {
  world = await newTriggerWorld();
  for (const name of ["t", "secret"])
    await createFolder(world.deps, anAdmin, world.workspace, { name } as Parameters<typeof createFolder>[3]);
  for (const path of ["f/t/run", "f/t/alarm"]) await world.addRunnable(path);
  const member = { email: "bob@example.com", username: "bob", role: "developer", createdAtMs: 0 };
  await world.deps.objects.put({ ...memberObject.key(world.workspace, personKey(member.email)), value: member });
  await world.deps.objects.put({ ...usernameObject.key(world.workspace, "bob"), value: { email: member.email } });
  await setGlobalSetting(world.deps, "aws_trigger_sources", { [world.workspace]: [TOPIC] });
});

const TOPIC = "arn:aws:sns:us-east-1:000000000000:orders";
const newPath = () => `f/t/${randomUUID()}`;
const caller = (actor: Person) => ({ actor, workspace: world.workspace });
/** A developer with write access to `f/t`, who may run its scripts and has no access to `f/secret`. */
const bob = (): Person => ({
  ...aReader(world.workspace, []),
  rights: { workspace: world.workspace, role: "developer", groups: [], folders: { t: "write" }, objects: {} },
});
/** An admin's token with the scopes to save objects and to run scripts. */
const withScopes = (...scopes: string[]): Person => {
  const kinds = [...triggerKinds.map((kind) => `${kind}_triggers`), "schedules", "apps", "workspaces"];
  return { ...anAdmin, scopes: [...kinds.map((kind) => `${kind}:write`), "jobs:run:scripts", ...scopes] };
};

type Fields = Record<string, unknown>;
/** Saves an object of a kind with these fields, and returns its path. `at`: the object that is changed. */
type Save = (actor: Person, fields: Fields, at?: string) => Promise<string>;

const saveTrigger =
  (kind: TriggerKind): Save =>
  async (actor, fields, at) => {
    const path = at ?? newPath();
    const id = path.slice("f/t/".length);
    const own: Record<TriggerKind, () => Promise<Fields>> = {
      http: async () => ({ route_path: `r/${id}`, http_method: "post", workspaced_route: true, authentication_method: "none" }),
      sqs: async () => ({ queue_url: (await world.addQueue(`q-${id}`, { "svc:workspace": world.workspace })).url }),
      aws: async () => ({ source: "sns", topic_arn: TOPIC }),
      email: async () => ({ local_part: id, workspaced_local_part: true }),
    };
    const base = { path, script_path: "f/t/run", is_flow: false, mode: "disabled", ...(await own[kind]()) };
    if (at === undefined) await world.create(kind, { ...base, ...fields }, actor);
    else await world.update(kind, path, { ...base, ...fields }, actor);
    return path;
  };

const saveSchedule: Save = async (actor, fields, at) => {
  if (at === undefined) {
    const request = aScheduleRequest({ script_path: "f/t/run", ...fields });
    await createSchedule(world.deps, caller(actor), request);
    return request.path;
  }
  const base = { schedule: "0 5 * * *", timezone: "UTC", args: {}, script_path: "f/t/run", is_flow: false };
  await updateSchedule(world.deps, { ...caller(actor), path: at }, scheduleChangeSchema.parse({ ...base, ...fields }));
  return at;
};

const saveApp: Save = async (actor, fields, at) => {
  world.clock.nowMs += 1;
  const sent = { path: newPath(), value: {}, summary: "", policy: { execution_mode: "publisher" }, ...fields };
  if (at === undefined) return createApp(world.deps, caller(actor), newAppSchema.parse(sent));
  const { path: _, ...change } = sent;
  return (await updateApp(world.deps, { ...caller(actor), path: at }, appChangeSchema.parse(change) as AppChange)).path;
};

const saveResource: Save = async (actor, fields, at) => {
  const path = at ?? newPath();
  const by = { ...actor, ...(actor.scopes ? { scopes: [...actor.scopes, "resources:write:f/t/*"] } : {}) };
  if (at === undefined)
    await createResource(world.deps, caller(by), newResourceSchema.parse({ path, resource_type: "any", value: {}, ...fields }));
  else await updateResource(world.deps, { ...caller(by), path }, fields);
  return path;
};

const saveHandler =
  (name: "error_handler" | "success_handler"): Save =>
  async (actor, fields) =>
    (await saveWorkspaceHandler(world.deps, caller(actor), name, { path: "script/f/t/alarm", ...fields })) ?? "";

/** Only an admin gives a route its address. */
const saveRoute: Save = async (actor, fields, at) => {
  if (at !== undefined || actor.superAdmin) return saveTrigger("http")(actor, fields, at);
  return saveTrigger("http")(actor, fields, await saveTrigger("http")(anAdmin, {}));
};

const triggers = Object.fromEntries(triggerKinds.map((kind) => [`${kind}_triggers`, kind === "http" ? saveRoute : saveTrigger(kind)]));
const saves: Record<string, Save> = { ...triggers, schedules: saveSchedule, apps: saveApp };

/** Adds the value of an argument to a field. */
const inArgs = (field: string) => (value: unknown) => ({ [field]: { deep: [{ inside: value }] } });
const argumentsOf = (kind: string, fields: string[]) =>
  ["create", "update"].flatMap((verb) => fields.map((field) => [`${kind}.${verb} ${field}`, saves[kind] as Save, inArgs(field)] as const));

/** Each field of a request that contains arguments which are stored, by route. */
const stored: (readonly [field: string, save: Save, put: (value: unknown) => Fields])[] = [
  ...triggerKinds.flatMap((kind) => argumentsOf(`${kind}_triggers`, ["error_handler_args"])),
  ...argumentsOf("schedules", ["args", "on_failure_extra_args", "on_recovery_extra_args", "on_success_extra_args"]),
  ...argumentsOf("apps", ["value"]),
  ...["create", "update"].map(
    (verb) =>
      [
        `apps.${verb} policy`,
        saveApp,
        (value: unknown) => ({ policy: { execution_mode: "publisher", triggerables_v2: { a: { static_inputs: { value } } } } }),
      ] as const,
  ),
  ...["create", "update", "updateValue"].map((verb) => [`resources.${verb} value`, saveResource, inArgs("value")] as const),
  ["workspaces.editErrorHandler extra_args", saveHandler("error_handler"), inArgs("extra_args")],
  ["workspaces.editSuccessHandler extra_args", saveHandler("success_handler"), inArgs("extra_args")],
];

/** The other fields of requests that accept values of any form, with the reason for which they contain no stored arguments. */
const others: Record<string, RegExp> = {
  "code, which needs no reference to read what the user may read": /^flows\.\w+ value$|^scripts\.\w+ (modules|scripts)$/,
  "an expression, which has a test below": / retry$/,
  "a schema or a description of code": / schema$|^scripts\.\w+ assets$/,
  "a draft, whose values count when they are saved": /^drafts\.update value$/,
  "a filter of messages or of runs": / (filter_policy|event_pattern)$|^views\.\w+ query$/,
  "a saved input, for which services/inputs has a test": /^inputs\.create args$/,
  "arguments that are checked when each run starts, as those of a single call": /^jobs\.bulk\.start args$/,
  "rights, which name users": / extra_perms$/,
  "a setting that no run receives": /^(settings|workspaces\.edit(AutoInvite|GitSync|DeployUi|Datatable)\w*)\b/,
  "a path of a resource, which the caller must be allowed to read": / large_file_storage$/,
  "values that only their own request uses, or texts that are no references":
    /^(approvals\.decide payload|chats\.postInTeams card_block|files\.sign|internal\.)/,
};

describe("each stored argument", () => {
  it("has a row in this table, with every other field that accepts values of any form", () => {
    const open = (Object.values(routes) as Route[]).flatMap(({ name, body, access }) =>
      body && (access as { verb?: string } | undefined)?.verb !== "run"
        ? Object.entries(fieldsOfBody(body)).flatMap(([field, schema]) => (isOpen(schema) ? [`${name} ${field}`] : []))
        : [],
    );
    const named = (field: string) => stored.some(([one]) => one === field);
    const excepted = (field: string) => Object.values(others).some((pattern) => pattern.test(field));
    expect(open.filter((field) => named(field) === excepted(field))).toEqual([]);
    expect(stored.map(([field]) => field).filter((field) => !open.includes(field))).toEqual([]);
    for (const pattern of Object.values(others)) expect(open.some((field) => pattern.test(field))).toBe(true);
  });

  it.each(stored)("%s refers only to what the user and the token may read", async (name, save, put) => {
    const field = name.split(" ")[1];
    const isUpdate = name.includes(".update");
    for (const reference of ["$var:f/secret/key", "$res:f/secret/db"]) {
      const attempt = async (actor: Person) => save(actor, put(reference), isUpdate ? await save(actor, {}) : undefined);
      const refused = (limit: string) => ({ code: "reference.refused", details: { field, reference, limit } });
      await expect(attempt(bob()), "a user without the right").rejects.toMatchObject(refused("user"));
      for (const scopes of [[], ["variables:read:f/t/*", "resources:read:f/t/*"]])
        await expect(attempt(withScopes(...scopes)), "a token without the scope").rejects.toMatchObject(refused("token"));
      await attempt(withScopes("variables:read:f/secret/*", "resources:read:f/secret/*"));
      await attempt(withScopes("jobs:run:preview"));
      await attempt(anAdmin);
    }
    await save(bob(), put("$var:f/t/key"));
  });

  it("of a resource keeps its references, even if its next writer may not read them", async () => {
    const path = await saveResource(anAdmin, { value: { key: "$var:f/secret/key" } });
    await saveResource(bob(), { value: { key: "$var:f/secret/key", host: "h" } }, path);
    const refused = { code: "reference.refused", details: { reference: "$res:f/secret/db", limit: "user" } };
    await expect(saveResource(bob(), { value: "$res:f/secret/db" }, path)).rejects.toMatchObject(refused);
    const replaced = createResource(
      world.deps,
      caller(bob()),
      newResourceSchema.parse({ path, resource_type: "any", value: "$res:f/secret/db" }),
      { updateIfExists: true },
    );
    await expect(replaced).rejects.toMatchObject(refused);
  });

  it("refers to no resource in which there is a variable that the token may not read", async () => {
    const path = newPath();
    await createResource(world.deps, caller(anAdmin), { path, resource_type: "any", value: { key: "$var:f/secret/key" } } as never);
    const attempt = (...scopes: string[]) => saveSchedule(withScopes(...scopes), { args: { db: `$res:${path}` } });
    const refused = { code: "reference.refused", details: { reference: "$var:f/secret/key", limit: "token" } };
    await expect(attempt("resources:read")).rejects.toMatchObject(refused);
    await attempt("resources:read", "variables:read");
  });

  it.each([...triggerKinds.map((kind) => `${kind}_triggers`), "schedules"])(
    "an expression of retry in %s needs a token that reads all variables and resources",
    async (kind) => {
      const save = saves[kind] as Save;
      const retry = { constant: { attempts: 1, seconds: 1 }, retry_if: { expr: 'variable("f/secret/key") === "a"' } };
      const refused = { code: "reference.refused", details: { field: "retry", limit: "token" } };
      for (const scopes of [[], ["variables:read:f/t/*", "resources:read"]]) {
        await expect(save(withScopes(...scopes), { retry })).rejects.toMatchObject(refused);
        await expect(save(withScopes(...scopes), { retry }, await save(anAdmin, {}))).rejects.toMatchObject(refused);
      }
      await save(withScopes("variables:read", "resources:read"), { retry });
      await save(withScopes(), { retry: { constant: { attempts: 1, seconds: 1 } } });
    },
  );

  it("is checked even if the request omits it, because the token may change the script that receives it", async () => {
    const path = await saveRoute(anAdmin, { error_handler_path: "f/t/alarm", error_handler_args: { key: "$var:f/secret/key" } });
    await expect(saveRoute(withScopes(), { error_handler_path: "f/t/run" }, path)).rejects.toMatchObject({
      code: "reference.refused",
    });
    await saveRoute(anAdmin, { error_handler_path: "f/t/run" }, path);
  });

  it("is received by a handler that the token may run", async () => {
    for (const name of ["error_handler", "success_handler"] as const) {
      const token = { ...anAdmin, scopes: ["workspaces:write"] };
      await expect(saveHandler(name)(token, {})).rejects.toMatchObject({ code: "auth.forbidden" });
      await expect(saveHandler(name)(anAdmin, { path: "script/f/t/none" })).rejects.toMatchObject({ code: "script.notFound" });
      await saveHandler(name)(withScopes(), {});
      expect(await saveWorkspaceHandler(world.deps, caller(withScopes()), name, {})).toBeUndefined();
    }
  });
});

const HANDLER = { error_handler_path: "script/f/t/alarm", error_handler_args: { a: 1 }, retry: { constant: { attempts: 2, seconds: 1 } } };

interface IdentityCase {
  save: Save;
  /** All optional fields, with the values of the first user. */
  fields: Fields;
  /** The fields that act with the rights of the user: another user must send them. */
  acting: string[];
  /** The fields that remain without them and that do not act. */
  inert: string[];
  /** The fields that are removed, or have no effect, if they are absent. */
  removedKeys: string[];
  body: Route["body"];
  load: (path: string) => Promise<unknown>;
}

const scheduleHandlers = ["failure", "recovery", "success"].flatMap((end) => [`on_${end}`, `on_${end}_extra_args`]);
const scheduleFields: Fields = {
  ...{ on_failure: "script/f/t/alarm", on_failure_extra_args: { a: 1 }, on_failure_times: 2, on_failure_exact: true },
  ...{ on_recovery: "script/f/t/alarm", on_recovery_extra_args: { a: 1 }, on_recovery_times: 2 },
  ...{ on_success: "script/f/t/alarm", on_success_extra_args: { a: 1 }, dynamic_skip: "f/t/alarm", retry: HANDLER.retry },
  ...{ summary: "s", description: "d", ws_error_handler_muted: true, no_flow_overlap: true, tag: "slow", labels: ["a"] },
  ...{ paused_until: "2030-01-01T00:00:00Z", cron_version: "v2" },
};
const ofIdentity = ["permissioned_as", "preserve_permissioned_as"];

const identityCases: Record<string, IdentityCase> = {
  ...Object.fromEntries(
    triggerKinds.map((kind): [string, IdentityCase] => [
      `${kind}_triggers.update`,
      {
        save: saves[`${kind}_triggers`] as Save,
        fields: { ...HANDLER, labels: ["a"] },
        acting: Object.keys(HANDLER),
        inert: ["labels", "mode", "enabled"],
        removedKeys: [...ofIdentity, ...Object.keys(fieldsOfBody(ownFieldSchemas[kind]))],
        body: changedTriggerSchemas[kind],
        load: (path) => getTrigger(world.deps, { workspace: world.workspace, kind, path }).then(({ json }) => json),
      },
    ]),
  ),
  "schedules.update": {
    save: saveSchedule,
    fields: { ...scheduleFields, script_path: "f/t/run", is_flow: false },
    acting: ["script_path", "is_flow"],
    inert: ["enabled", "path"],
    removedKeys: [...Object.keys(scheduleFields), ...scheduleHandlers, ...ofIdentity, "email"],
    body: scheduleChangeSchema,
    load: (path) => getSchedule(world.deps, world.workspace, path).then(({ json }) => json),
  },
  "apps.update": {
    save: saveApp,
    fields: { value: { a: 1 }, policy: { execution_mode: "publisher" }, summary: "s", labels: ["a"] },
    acting: ["value", "policy"],
    inert: ["path", "summary", "labels", "custom_path"],
    removedKeys: ["deployment_message", "preserve_on_behalf_of", "skip_draft_deletion"],
    body: appChangeSchema,
    load: (path) => getApp(world.deps, world.workspace, path).then(({ json }) => json),
  },
};

/** The updates of stored objects that run with the rights of a user, and that are not whole versions. */
const updates = (Object.values(routes) as Route[]).flatMap(({ name, body }) => {
  const fields = body ? Object.keys(fieldsOfBody(body)) : [];
  const hasIdentity = fields.includes("preserve_permissioned_as") || fields.includes("preserve_on_behalf_of");
  return hasIdentity && name.endsWith(".update") ? [name] : [];
});
/** Scripts and flows are saved as whole versions: an absent field has no earlier value. */
const WHOLE = ["scripts.update", "flows.update"];

describe("after a change of the user with whose rights an object runs", () => {
  it("every field of its update has a row in this table", () => {
    expect(updates.sort()).toEqual([...Object.keys(identityCases), ...WHOLE].sort());
    for (const [name, { body, acting, inert, removedKeys }] of Object.entries(identityCases)) {
      const optional = Object.entries(fieldsOfBody(body as NonNullable<Route["body"]>)).flatMap(([field, schema]) =>
        schema._zod.optin === "optional" ? [field] : [],
      );
      const named = [...acting, ...inert, ...removedKeys];
      expect(
        optional.filter((field) => !named.includes(field)),
        name,
      ).toEqual([]);
      expect(new Set([...acting, ...inert]).size + removedKeys.filter((field) => [...acting, ...inert].includes(field)).length, name).toBe(
        acting.length + inert.length,
      );
    }
  });

  const acting = Object.entries(identityCases).flatMap(([name, one]) => one.acting.map((field) => [name, field, one] as const));
  it.each(acting)("%s refuses a request without %s, whose value another user has saved", async (_, field, { save, fields }) => {
    const path = await save(bob(), fields);
    const absent = { ...fields, [field]: undefined };
    const refused = { code: "identity.fieldsMissing", details: { permissionedAs: "u/ann", fields: [field] } };
    await expect(save(anAdmin, absent, path)).rejects.toMatchObject(refused);
    await save(anAdmin, fields, path);
    // The values are those of the same user from now on.
    await save(anAdmin, absent, path);
  });

  it.each(Object.entries(identityCases))("%s leaves nothing of another user in the other fields", async (_, { save, fields, ...one }) => {
    const path = await save(bob(), fields);
    const sent = Object.fromEntries(one.acting.map((field) => [field, fields[field]]));
    await save(anAdmin, sent, path);
    const after = (await one.load(path)) as Fields;
    for (const field of one.removedKeys) if (fields[field] !== undefined) expect(after).not.toHaveProperty(field);
  });

  it("the user whom an admin preserves keeps the values, and another one does not", async () => {
    const path = await saveRoute(bob(), HANDLER);
    const preserve = (username: string) => ({ permissioned_as: `u/${username}`, preserve_permissioned_as: true });
    const root = { ...anAdmin, email: "root@example.com", username: "root" };
    await saveRoute(root, preserve("bob"), path);
    expect(await identityCases["http_triggers.update"]?.load(path)).toMatchObject({ ...HANDLER, permissioned_as: "u/bob" });
    await expect(saveRoute(root, preserve("ann"), path)).rejects.toMatchObject({ code: "identity.fieldsMissing" });
  });
});
