import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { newWebhookSchema, webhookChangeSchema, workspaceWebhookSchema } from "./webhooks.ts";

const long = (length: number) => `https://example.com/${"x".repeat(length - "https://example.com/".length)}`;

describe.each<[string, z.ZodType, string]>([
  ["edit_webhook", workspaceWebhookSchema, "webhook"],
  ["create", newWebhookSchema, "url"],
  ["update", webhookChangeSchema, "url"],
])("the URL of %s", (_, schema, field) => {
  it.each([
    "http://example.com",
    "https://example.com:8443/a?b=c#d",
    "HTTPS://example.com/",
    "https://müller.example/ü",
    "https://example.com/@x:y",
    long(2000),
    // Inner addresses are refused at each delivery, because a name may change its address.
    "http://127.0.0.1:9/",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/",
    "http://localhost/",
  ])("may be %s", (url) => {
    expect(schema.safeParse({ [field]: url }).error).toBeUndefined();
  });

  it.each([
    "ftp://example.com/",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/plain,x",
    "//example.com/",
    "example.com",
    "/hook",
    "http:example.com",
    "https:/example.com",
    "https://",
    "https://?",
    "https://exa mple.com/",
    "https://example.com/a b",
    "https://example.com/\n",
    " https://example.com/",
    "https://example.com/\u0000",
    "https://example.com:99999/",
    "https://user:password@example.com/",
    "https://user@example.com/",
    "https://:password@example.com/",
    long(2001),
    7,
    ["https://example.com/"],
  ])("must not be %j, and the error names the field", (url) => {
    expect(schema.safeParse({ [field]: url }).error?.issues.map(({ path }) => path.join("."))).toEqual([field]);
  });
});

describe("the other fields of an endpoint", () => {
  const url = "https://example.com/";
  const issues = (fields: object) => newWebhookSchema.safeParse({ url, ...fields }).error?.issues.map(({ path }) => path.join("."));

  it.each([
    {},
    { events: null, paths: null, description: null },
    { events: ["CreateScript", "TokenExpired"], paths: ["f/ops/**", "u/ann/?", "*"], description: "x".repeat(1000), enabled: false },
    { id: "Ops-1_a" },
  ])("may be %j", (fields) => {
    expect(issues(fields)).toBeUndefined();
  });

  it.each<[object, string]>([
    [{ events: [] }, "events"],
    [{ events: ["CreateScript", "Nothing"] }, "events.1"],
    [{ events: ["UserAdded"] }, "events.0"],
    [{ events: ["svc.test"] }, "events.0"],
    [{ paths: [] }, "paths"],
    [{ paths: ["f/{a,b}/c"] }, "paths.0"],
    [{ paths: ["!f/a"] }, "paths.0"],
    [{ paths: ["f/(a|b)+"] }, "paths.0"],
    [{ paths: ["x".repeat(251)] }, "paths.0"],
    [{ paths: Array(51).fill("*") }, "paths"],
    [{ description: "x".repeat(1001) }, "description"],
    [{ enabled: "yes" }, "enabled"],
    [{ id: "workspace" }, "id"],
    [{ id: "" }, "id"],
    [{ id: "a/b" }, "id"],
    [{ id: "a#b" }, "id"],
  ])("must not be %j, and the error names the field", (fields, field) => {
    expect(issues(fields)).toEqual([field]);
  });
});
