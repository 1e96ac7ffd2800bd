import { describe, expect, it } from "vitest";
import { changedTriggerSchemas } from "../../../../../contract/routes/triggers/trigger-kinds.ts";
import { parseObject } from "../../parts/stored/parse-object.ts";
import { nameOf, parseName } from "./load-triggers.ts";
import { apiOf, fromTrigger, kindOf, sourceOf, type Trigger, toTrigger } from "./trigger.ts";

const common = {
  ...{
    path: "f/ops/orders",
    script_path: "f/ops/order",
    is_flow: false,
    mode: "enabled" as const,
    enabled: true,
    permissioned_as: "u/ann",
  },
  ...{ email: "ann@example.com", extra_perms: {}, workspace_id: "demo", edited_by: "ann", edited_at: "2026-01-01T00:00:00Z" },
  ...{ error_handler_path: "script/f/ops/report", error_handler_args: { to: "ops" }, labels: ["shop"] },
} as const;
const stored = {
  queue: {
    ...{ api: "sqs", ...common, labels: ["shop"], queue_url: "https://sqs.eu-west-1.amazonaws.com/123456789012/orders" },
    ...{ aws_auth_resource_type: "credentials", aws_resource_path: "f/ops/keys", message_attributes: ["a", "b"] },
  },
  topic: {
    ...{ api: "aws", ...common, labels: ["shop"], source: "sns" },
    ...{ topic_arn: "arn:aws:sns:eu-west-1:123456789012:orders", filter_policy: { priority: ["high"] } },
  },
  bus: { api: "aws", ...common, labels: ["shop"], source: "eventbridge", event_pattern: { source: ["shop"] }, bus: "shop" },
  bucket: {
    api: "aws",
    ...common,
    labels: ["shop"],
    source: "s3",
    bucket: "incoming",
    prefix: "in/",
    suffix: ".csv",
    events: ["Object Created"],
  },
  mail: {
    api: "email",
    ...common,
    labels: ["shop"],
    local_part: "inbox",
    workspaced_local_part: true,
    address: "demo-inbox@in.example.com",
  },
} satisfies Record<string, Trigger>;
const table = Object.entries(stored) as [keyof typeof stored, Trigger][];

describe("a trigger", () => {
  it.each(table)("of the kind %s that is saved without an edit stays as it is", (kind, trigger) => {
    const values = fromTrigger(trigger);
    expect([values.kind, kindOf(trigger), apiOf(kind)]).toEqual([kind, kind, trigger.api]);
    const body = changedTriggerSchemas[trigger.api].parse(toTrigger(values));
    const { api, enabled, permissioned_as, email, extra_perms, workspace_id, edited_by, edited_at, ...fields } = trigger;
    // The service derives the address from the part before @.
    expect({ ...("address" in trigger ? { address: trigger.address } : {}), ...body }).toMatchObject(fields);
  });

  it.each([
    ["queue", "https://sqs.eu-west-1.amazonaws.com/123456789012/orders"],
    ["topic", "arn:aws:sns:eu-west-1:123456789012:orders"],
    ["bus", 'shop: {"source":["shop"]}'],
    ["bucket", "incoming/in/*.csv"],
    ["mail", "demo-inbox@in.example.com"],
  ] as const)("of the kind %s has its source in one line", (kind, line) => {
    expect(sourceOf(stored[kind])).toBe(line);
  });

  it("is named by its kind and its path", () => {
    expect(parseName(nameOf(stored.topic))).toEqual({ api: "aws", path: "f/ops/orders" });
  });
});

it("a JSON object of a form is an object, none, or broken", () => {
  expect([parseObject('{"a":1}'), parseObject(" "), parseObject("[1]"), parseObject("{")]).toEqual([{ a: 1 }, null, undefined, undefined]);
});
