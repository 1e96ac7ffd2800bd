import { expect, it } from "vitest";
import type { WebhookJson } from "../../../../../contract/routes/events/webhooks.ts";
import { differingFields } from "../stored/compared-fields.ts";
import { endpointFields, keepableEndpoint, toEndpoint, toLoadedEndpoint } from "./webhook-values.ts";

const stored: WebhookJson = {
  id: "ops",
  url: "https://a.example/secret",
  events: ["CreateVariable"],
  paths: ["f/ops/*", "f/etl/**"],
  description: "Deploys",
  enabled: true,
  created_by: "ann",
  created_at: "2026-01-01T00:00:00.000Z",
  edited_by: "ann",
  edited_at: "2026-01-01T00:00:00.000Z",
  version: "abc",
};

it("an endpoint is sent as it is stored, and its draft has no address", () => {
  const { values, version } = toLoadedEndpoint(stored);
  const { url, events, paths, description, enabled } = stored;
  expect(toEndpoint(values)).toEqual({ url, events, paths, description, enabled });
  expect(version).toBe('"abc"');
  expect(JSON.stringify(keepableEndpoint(values))).not.toContain("secret");
  expect(toEndpoint(toLoadedEndpoint(undefined).values)).toEqual({ url: "", events: null, paths: null, description: "", enabled: true });
});

it("two versions of an endpoint differ in the fields that admins set", () => {
  const base = toLoadedEndpoint(stored).values;
  const theirs = { ...base, types: [], isEnabled: false };
  expect(differingFields(endpointFields, { mine: { ...base, paths: "" }, theirs, base })).toMatchObject([
    { label: "Event types", mine: "CreateVariable", theirs: "All types", suggested: "theirs" },
    { label: "Paths", mine: "", theirs: "f/ops/*, f/etl/**", suggested: "mine" },
    { label: "Enabled", mine: "✓", theirs: "", suggested: "theirs" },
  ]);
});
