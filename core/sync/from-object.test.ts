import { describe, expect, it } from "vitest";
import { fromObject } from "./from-object.ts";

const stamped = { workspace_id: "w", edited_at: "2030-01-01T00:00:00Z", edited_by: "ann", extra_perms: { "g/team": true } };

describe("fromObject", () => {
  it.each([
    [
      "script",
      "f/a/b",
      {
        ...{
          ...stamped,
          path: "f/a/b",
          hash: "0123456789abcdef",
          parent_hashes: ["1"],
          created_by: "ann",
          created_at: "2030-01-01T00:00:00Z",
        },
        ...{
          summary: "S",
          description: "",
          content: "echo",
          language: "bash",
          lock: "",
          kind: "script",
          is_template: false,
          starred: false,
        },
        ...{ archived: false, deleted: false, has_preprocessor: false, ws_error_handler_muted: true, inferred_schema: {}, tag: null },
      },
      {
        ...{ language: "bash", content: "echo", version: "0123456789abcdef" },
        value: {
          ...{ summary: "S", description: "", lock: "", kind: "script", is_template: false, ws_error_handler_muted: true },
          extra_perms: { "g/team": true },
        },
      },
    ],
    [
      "flow",
      "f/a/b",
      {
        ...stamped,
        path: "f/a/b",
        hash: "x",
        version_id: 1,
        archived: false,
        starred: false,
        lock_error_logs: "x",
        value: { modules: [] },
      },
      { value: { value: { modules: [] }, extra_perms: { "g/team": true } } },
    ],
    [
      "app",
      "f/a/b",
      {
        ...{ id: 1, path: "f/a/b", versions: [1], created_by: "ann", execution_mode: "viewer", raw_app: false, summary: "", value: {} },
        policy: { execution_mode: "viewer", on_behalf_of: "u/ann", on_behalf_of_email: "ann@example.com" },
      },
      { value: { summary: "", value: {}, policy: { execution_mode: "viewer" } } },
    ],
    [
      "resource",
      "f/a/b",
      { path: "f/a/b", is_oauth: false, ws_specific: true, resource_type: "any" },
      { value: { resource_type: "any", value: null } },
    ],
    [
      "variable",
      "f/a/b",
      { path: "f/a/b", value: "v", is_secret: false, description: "", is_oauth: false, is_refreshed: false, is_linked: false },
      { value: { value: "v", is_secret: false, description: "" } },
    ],
    ["resource_type", "own", { name: "own", schema: {}, created_by: "ann" }, { value: { schema: {} } }],
    ["folder", "a", { name: "a", owners: ["u/b", "u/a"], extra_perms: {} }, { value: { owners: ["u/a", "u/b"], extra_perms: {} } }],
    [
      "group",
      "team",
      { name: "team", summary: "T", members: ["bob", "ann"], extra_perms: { "u/ann": true, "u/bob": false } },
      { value: { summary: "T", admins: ["u/ann"], members: ["u/bob"] } },
    ],
    [
      "schedule",
      "f/a/b",
      { ...stamped, path: "f/a/b", enabled: false, error: "x", email: "e" },
      { value: { enabled: false, extra_perms: { "g/team": true } } },
    ],
    ["http_trigger", "f/a/b", { path: "f/a/b", mode: "enabled", enabled: true, last_failures: [] }, { value: { mode: "enabled" } }],
  ])("returns a %s as the archive contains it", (kind, path, object, expected) => {
    expect(fromObject({ kind, path }, object, {})).toEqual({ kind, path, ...expected });
  });

  it("shows the identity on whose behalf a flow runs, except with v1", () => {
    const flow = { on_behalf_of: "u/ann", on_behalf_of_email: "ann@example.com" };
    expect(fromObject({ kind: "flow", path: "f/a/b" }, flow, {}).value).toEqual({ on_behalf_of_email: "ann@example.com" });
    expect(fromObject({ kind: "flow", path: "f/a/b" }, flow, { syncBehavior: "v1" }).value).toEqual({});
  });
});
