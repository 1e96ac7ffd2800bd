import { expect, it } from "vitest";
import type { SettingsJson } from "../../../../../contract/routes/workspaces/setting-schemas.ts";
import { differingFields } from "../../parts/stored/compared-fields.ts";
import { parseRunnable } from "../../parts/stored/runnable-path.ts";
import { generalFields, toAutoInviteRequest, toGeneralValues, toStorage } from "./general/general-values.ts";
import { handlerFields, keepableRules, toHandler, toHandlerValues } from "./handler-values.ts";

const stored: SettingsJson = {
  workspace_id: "demo",
  name: "Demo",
  auto_invite: { enabled: true, domain: "*", operator: false, mode: "invite" },
  large_file_storage: {
    type: "S3Storage",
    s3_resource_path: "f/ops/files",
    public_resource: true,
    secondary_storage: { logs: { type: "S3Storage", s3_resource_path: "f/ops/logs" } },
  },
};

it("general settings without a change are sent as they are stored", () => {
  const values = toGeneralValues(stored);
  expect(toStorage(values, stored)).toEqual(stored.large_file_storage);
  expect(toAutoInviteRequest(values, stored)).toEqual({ operator: false, invite_all: true, auto_add: false });
  expect(toStorage({ ...values, storage: "none" }, stored)).toEqual({ type: "none" });
});

it("two versions of the general settings differ in the fields of one setting together", () => {
  const base = toGeneralValues(stored);
  const mine = { ...base, name: "Mine", asOperator: true };
  const theirs = { ...base, status: 500, others: [] };
  expect(differingFields(generalFields, { mine, theirs, base }).map(({ label, suggested }) => [label, suggested])).toEqual([
    ["Name", "mine"],
    ["HTTP status of failed runs", "theirs"],
    ["New users of the instance join", "mine"],
    ["Storage of files", "theirs"],
  ]);
});

it("a handler is sent as it is stored, and a removed one is empty", () => {
  const handler = { path: "flow/f/ops/alarm", extra_args: { a: 1 }, muted_on_cancel: true, muted_on_user_path: false };
  const values = toHandlerValues(handler);
  expect(toHandler(values)).toEqual(handler);
  expect(toHandler({ ...values, runnable: undefined })).toEqual({});
  const theirs = toHandlerValues(undefined);
  expect(differingFields(handlerFields, { mine: values, theirs, base: theirs })).toMatchObject([
    { label: "Script or flow", mine: "Flow f/ops/alarm", theirs: "", suggested: "mine" },
    { label: "Further arguments" },
    { label: "It ignores canceled runs" },
  ]);
});

it("a draft of notices has no address", () => {
  expect(keepableRules({ rules: [{ path: "f/ops/*", topic: true }] })).toEqual({ rules: [{ path: "f/ops/*", topic: true }] });
  expect(keepableRules({ rules: [{ webhook: "https://a.example/secret" }] })).toEqual({});
});

it.each([
  ["script/f/ops/alarm", { kind: "script", path: "f/ops/alarm" }],
  ["flow/f/ops/alarm", { kind: "flow", path: "f/ops/alarm" }],
  ["f/ops/alarm", { kind: "script", path: "f/ops/alarm" }],
  [undefined, undefined],
])("the handler %s is a script or a flow", (path, runnable) => {
  expect(parseRunnable(path)).toEqual(runnable);
});
