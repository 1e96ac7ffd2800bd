import { describe, expect, it } from "vitest";
import * as z from "zod";
import { kindNames } from "../../../contract/kinds/kinds.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { newAppSchema } from "../../../contract/routes/stored/apps.ts";
import { type SettingsJson, settingsSchema } from "../../../contract/routes/workspaces/setting-schemas.ts";
import { mergeGroups, mergeUsers } from "./backup.ts";
import { addIdentity, kindsWithIdentity } from "./identity.ts";
import { divideSettings, instanceTreatments, mergeSettings, workspaceTreatments } from "./settings.ts";

const user = (email: string, more: object = {}) => ({ email, super_admin: false, ...more });

describe("users of a backup and of an instance", () => {
  it("are merged without deletions, and the backup determines the users that both have", () => {
    const backup = [user("Ann@example.com", { name: "Ann" }), user("bo@example.com", { disabled: true })];
    const present = [user("ann@example.com", { name: "Other" }), user("cy@example.com"), user("root@example.com", { super_admin: true })];
    expect(mergeUsers(backup, present, "root@example.com")).toEqual([
      user("Ann@example.com", { name: "Ann" }),
      user("bo@example.com", { disabled: true }),
      user("cy@example.com"),
      user("root@example.com", { super_admin: true, disabled: false }),
    ]);
  });

  it("leave the caller a superadmin, whatever the caller was in the backup", () => {
    const [caller] = mergeUsers([user("root@example.com", { disabled: true })], [], "ROOT@example.com");
    expect(caller).toEqual(user("root@example.com", { super_admin: true, disabled: false }));
  });

  it("keep the groups of both", () => {
    const [ops, dev] = [{ name: "ops", emails: ["a@example.com"] }, { name: "dev" }];
    expect(mergeGroups([ops], [{ name: "ops", emails: [] }, dev])).toEqual([ops, dev]);
  });
});

describe("settings of a backup", () => {
  const HOOK = "https://hooks.example.com/T0/secret-token";

  it("of the instance are in clear text only if no secret can be in them; unknown ones belong to other clients, and are sealed", () => {
    const values = {
      timeout_wait_result: 20,
      instance_events_webhook: HOOK,
      oauths: { slack: {} },
      smtp: { password: "p" },
      constructor: "x",
      gone: null,
    };
    expect(divideSettings(instanceTreatments, values)).toEqual({
      plain: { timeout_wait_result: 20 },
      sealed: { instance_events_webhook: HOOK, smtp: { password: "p" }, constructor: "x" },
      leftOut: ["oauths"],
    });
  });

  it("of a workspace are in clear text only if their schemas have no URL, argument, secret or free object", () => {
    const plain = Object.entries(settingsSchema.shape).filter(([name]) => workspaceTreatments[name as keyof SettingsJson] === "plain");
    expect(plain.length).toBeGreaterThan(5);
    for (const [name, schema] of plain) {
      const json = JSON.stringify(z.toJSONSchema(schema, { unrepresentable: "any", io: "input" }));
      expect(json, name).not.toMatch(/"[^"]*(url|uri|webhook|args|token|secret|password)[^"]*"/i);
      // Names of groups and their roles, which the schema does not describe.
      if (name !== "auto_invite") expect(json, name).not.toMatch(/(:\{\}|"additionalProperties":(\{\}|true))/);
    }
  });

  it("that are sealed replace those of a workspace after they are opened, and leave them unchanged before", () => {
    const present = { webhook: "https://hooks.example.com/own", color: "#000000", name: "ops" };
    expect(mergeSettings({ name: "ops" }, undefined, present)).toEqual({ name: "ops", webhook: "https://hooks.example.com/own" });
    expect(mergeSettings({ name: "ops" }, { webhook: HOOK }, present)).toEqual({ name: "ops", webhook: HOOK });
  });
});

describe("the user with whose rights a restored item runs", () => {
  it("is sent for each kind whose route runs something for its author, and the route accepts it", () => {
    // Routes whose bodies preserve a user, by the kind of their items.
    const bodies = Object.values(routes).flatMap((route) => {
      const kind = /^\/api\/w\/\{workspace\}\/(\w+)s\/create$/.exec(route.path)?.[1];
      const body = "body" in route ? route.body : undefined;
      return kind && body ? [{ kind, schema: JSON.stringify(z.toJSONSchema(body, { unrepresentable: "any", io: "input" })) }] : [];
    });
    const preserving = bodies.filter(({ schema }) => schema.includes('"preserve_permissioned_as"')).map(({ kind }) => kind);
    expect(preserving.length).toBeGreaterThan(3);
    expect([...preserving, "app"].sort()).toEqual([...kindsWithIdentity].sort());
    // Files of scripts and flows contain on_behalf_of_email.
    const onBehalf = bodies.filter(({ schema }) => schema.includes('"preserve_on_behalf_of"')).map(({ kind }) => kind);
    expect(onBehalf.sort()).toEqual(["app", "flow", "script"]);
    for (const kind of kindsWithIdentity) expect(kindNames).toContain(kind);
  });

  it("is a field of schedules and triggers, and part of the policy of an app", () => {
    const schedule = addIdentity({ kind: "schedule", path: "f/t/a", value: { enabled: true } }, "u/amy");
    expect(schedule.value).toEqual({ enabled: true, permissioned_as: "u/amy", preserve_permissioned_as: true });
    const value = { summary: "", value: {}, policy: { execution_mode: "publisher" } };
    const app = addIdentity({ kind: "app", path: "f/t/a", value }, "amy@example.com");
    expect(newAppSchema.parse({ ...(app.value as object), path: "f/t/a" })).toMatchObject({
      preserve_on_behalf_of: true,
      policy: { execution_mode: "publisher", on_behalf_of_email: "amy@example.com" },
    });
  });
});
