import { describe, expect, it } from "vitest";
import { isSelected } from "../select.ts";
import { fromSpecificFile, isSpecific, toSpecificFile } from "./specific-items.ts";

describe("files of one workspace", () => {
  it.each([
    ["f/a/b.variable.yaml", "f/a/b.prod.variable.yaml"],
    ["f/a/b.resource.yaml", "f/a/b.prod.resource.yaml"],
    ["f/a/b.resource.file.ini", "f/a/b.prod.resource.file.ini"],
    ["f/a/b.schedule.yaml", "f/a/b.prod.schedule.yaml"],
    ["f/a/b.http_trigger.yaml", "f/a/b.prod.http_trigger.yaml"],
    ["f/a/folder.meta.yaml", "f/a/folder.prod.meta.yaml"],
    ["settings.yaml", "settings.prod.yaml"],
  ])("the file %s becomes %s", (common, specific) => {
    expect(toSpecificFile(common, "prod")).toBe(specific);
    expect(fromSpecificFile(specific, "prod")).toBe(common);
    expect(fromSpecificFile(common, "prod")).toBeUndefined();
    expect(fromSpecificFile(specific, "dev")).toBeUndefined();
  });

  it("have a name without characters that file systems refuse", () => {
    expect(toSpecificFile("f/a/b.variable.yaml", "feature/x.y")).toBe("f/a/b.feature_x_y.variable.yaml");
  });

  it("have the usual name if their kind is the same in every workspace", () => {
    expect(toSpecificFile("f/a/b.ts", "prod")).toBe("f/a/b.ts");
  });
});

it.each([
  ["variable", "f/env/a", true],
  ["variable", "f/other/a", false],
  ["resource", "f/db", true],
  ["schedule", "f/env/daily", true],
  ["kafka_trigger", "f/env/k", true],
  ["folder", "env", true],
  ["settings", "settings", true],
  ["script", "f/env/a", false],
  ["resource", "f/marked", true],
])("%s at %s is specific: %s", (kind, path, expected) => {
  const items = { variables: ["f/env/**"], resources: ["f/db.resource.yaml"], triggers: ["f/env/*"], folders: ["f/env"], settings: true };
  expect(isSpecific({ kind, path }, items, new Set(["resource f/marked"]))).toBe(expected);
});

describe("isSelected", () => {
  const script = { kind: "script", path: "f/a/b", value: {} };
  const files = ["f/a/b.ts", "f/a/b.script.yaml"];
  it.each([
    [{}, true],
    [{ skipScripts: true }, false],
    [{ includes: ["f/a/**"] }, true],
    [{ includes: ["**/*.ts"] }, true],
    [{ includes: ["f/x/**"] }, false],
    [{ includes: [] }, false],
    [{ excludes: ["f/a/b.ts"] }, false],
    [{ includes: ["f/**"], excludes: ["f/a/**"] }, false],
  ])("selects a script with %j: %s", (options, expected) => {
    expect(isSelected(script, files, options)).toBe(expected);
  });

  it.each([
    ["variable", {}, true],
    ["variable", { skipVariables: true }, false],
    ["resource", { skipResources: true }, false],
    ["resource_type", { skipResourceTypes: true, includes: ["x"] }, false],
    ["resource_type", { includes: ["x"] }, true],
    ["flow", { skipFlows: true }, false],
    ["app", { skipApps: true }, false],
    ["folder", { skipFolders: true }, false],
    ["dependencies", { skipWorkspaceDependencies: true }, false],
    ["schedule", {}, false],
    ["schedule", { includeSchedules: true }, true],
    ["http_trigger", {}, false],
    ["http_trigger", { includeTriggers: true }, true],
    ["user", { includeUsers: true }, true],
    ["user", {}, false],
    ["group", { includeGroups: true }, true],
    ["settings", { includeSettings: true }, true],
    ["encryption_key", { includeKey: true }, true],
    ["encryption_key", {}, false],
  ])("selects the kind %s with %j: %s", (kind, options, expected) => {
    expect(isSelected({ kind, path: "f/a/b", value: {} }, [], options)).toBe(expected);
  });

  it("leaves out secrets unless they are requested", () => {
    const secret = { kind: "variable", path: "f/a/b", value: { is_secret: true } };
    expect(isSelected(secret, [], {})).toBe(false);
    expect(isSelected(secret, [], { skipSecrets: false })).toBe(true);
  });
});
