import { describe, expect, it } from "vitest";
import { runnerLanguages } from "../../../contract/languages.ts";
import { newFlowSchema } from "../../../contract/routes/flows/flows.ts";
import { scheduleSettingsSchema } from "../../../contract/routes/schedules/schedule.ts";
import { newAppSchema } from "../../../contract/routes/stored/apps.ts";
import { newResourceSchema, newResourceTypeSchema } from "../../../contract/routes/stored/resources.ts";
import { newScriptSchema } from "../../../contract/routes/stored/script.ts";
import { newVariableSchema } from "../../../contract/routes/stored/variables.ts";
import { newTriggerSchemas, ownFieldSchemas } from "../../../contract/routes/triggers/trigger-kinds.ts";
import { settingsSchema } from "../../../contract/routes/workspaces/setting-schemas.ts";
import { newFolderSchema } from "../../../contract/routes/workspaces/workspace-schemas.ts";
import { itemSchemas } from "../../../core/sync/check/item-schemas.ts";
import { fieldsOf } from "../../../core/sync/item.ts";
import { awsTriggersWithEveryField, itemsWithEveryField } from "./every-field.ts";

const items = [
  ...itemsWithEveryField({
    id: "w",
    username: "ann",
    email: "ann@example.com",
    queueUrl: "https://sqs.eu-west-1.amazonaws.com/123456789012/a",
  }),
  ...awsTriggersWithEveryField("arn:aws:sns:eu-west-1:123456789012:orders"),
];

/** The part of a request that is no field of a file: the place, and how the request is to be treated. */
const ABOUT_THE_REQUEST = [
  ...["path", "name", "parent_hash", "auto_parent", "deployment_message", "skip_draft_deletion", "draft_only"],
  ...["preserve_on_behalf_of", "preserve_permissioned_as"],
];
/** The identity of an object is that of the workspace. */
const IDENTITY = ["on_behalf_of", "on_behalf_of_email", "permissioned_as", "email"];

describe("the table of all fields", () => {
  it.each([
    // The source has its own file, and a codebase a bundle.
    ["script", newScriptSchema, ["content", "language", "assets", "codebase"]],
    ["flow", newFlowSchema, []],
    ["app", newAppSchema, []],
    // These describe an account with another service, which no file can connect.
    ["variable", newVariableSchema, ["account", "is_oauth", "expires_at", "ws_specific"]],
    ["resource", newResourceSchema, ["ws_specific"]],
    // They change the files of the resources of this type.
    ["resource_type", newResourceTypeSchema, ["format_extension", "is_fileset"]],
    ["folder", newFolderSchema, []],
    ["schedule", scheduleSettingsSchema, []],
    // `mode` contains `enabled`, and a static website has no script.
    ["http_trigger", newTriggerSchemas.http, ["enabled", "static_asset_config"]],
    ["sqs_trigger", ownFieldSchemas.sqs, []],
    ["aws_trigger", ownFieldSchemas.aws, []],
    ["email_trigger", ownFieldSchemas.email, []],
    // The id is that of the workspace.
    ["settings", settingsSchema, ["workspace_id"]],
  ] as const)("has every field of a %s that its author sets", (kind, schema, others) => {
    const sent = new Set(items.filter((item) => item.kind === kind).flatMap((item) => Object.keys(fieldsOf(item))));
    const left = new Set<string>([...ABOUT_THE_REQUEST, ...IDENTITY, ...others]);
    expect(Object.keys(schema.shape).filter((name) => !sent.has(name) && !left.has(name))).toEqual([]);
  });

  it("has every kind that has files", () => {
    const kinds = new Set(items.map(({ kind }) => kind));
    expect(Object.keys(itemSchemas).filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  it("has the fields that all triggers share in each kind of them", () => {
    const common = ["script_path", "is_flow", "mode", "labels", "error_handler_path", "error_handler_args", "retry"];
    for (const item of items.filter(({ kind }) => kind.endsWith("_trigger")))
      expect(Object.keys(fieldsOf(item))).toEqual(expect.arrayContaining(common));
  });

  it("has a script with a lock in every language that runs", () => {
    const locked = items.filter((item) => item.kind === "script" && fieldsOf(item)["lock"] !== "");
    expect(new Set(locked.map(({ language }) => language))).toEqual(new Set(runnerLanguages));
  });
});
