import { describe, expect, it } from "vitest";
import { type SyncOptionName, syncOptions, toConfigJsonSchema } from "./config.ts";
import { parseConfig } from "./parse-config.ts";
import { listSpecificItems, resolveOptions } from "./workspace-entry.ts";

const problemsOf = (text: string) => {
  const parsed = parseConfig("svc.yaml", text);
  return "problems" in parsed ? parsed.problems : [];
};
const configOf = (text: string) => {
  const parsed = parseConfig("svc.yaml", text);
  if ("problems" in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
};

describe("parseConfig", () => {
  it.each([
    ["includs: []\n", 1, 1, "Did you mean includes?"],
    ["defaultTs: bun\nskipScrpts: true\n", 2, 1, "Did you mean skipScripts?"],
    ["workspaces:\n  prod:\n    gitBranhc: main\n", 3, 5, "Did you mean gitBranch?"],
    ["workspaces:\n  prod:\n    includes: []\n", 3, 5, "It belongs to the top level."],
    ["codebases:\n  - relative_path: a\n    extern: []\n", 3, 5, "Did you mean external?"],
    ["codebases:\n  - format: cjs\n", 2, 5, "relative_path"],
    ["codebases:\n  - relative_path: a\n    assets:\n      - from: x\n", 4, 9, "to"],
    ["workspaces:\n  commonSpecificItems:\n    variable: []\n", 3, 5, "Did you mean variables?"],
    ["parallel: many\n", 1, 1, "parallel"],
    ["workspaces:\n  prod:\n    overrides:\n      codebases: []\n", 4, 7, "It belongs to the top level."],
    ["a: [\n", 2, 1, ""],
    ["defaultTs: node\n", 1, 1, "defaultTs"],
  ])("reports %j at line %d, column %d", (text, line, column, message) => {
    const [problem] = problemsOf(text);
    expect(problem).toMatchObject({ file: "svc.yaml", line, column, message: expect.stringContaining(message) });
  });

  it("reports all problems of a file at once", () => {
    expect(problemsOf("a: 1\nb: 2\nparallel: x\n")).toHaveLength(3);
  });

  it("accepts every property, at the top level and as an override", () => {
    const samples: Record<string, unknown> = {
      defaultTs: "deno",
      parallel: 2,
      message: "m",
      promotion: "main",
      syncBehavior: "v1",
      includes: ["a"],
      extraIncludes: [],
      excludes: [],
    };
    for (const name of Object.keys(syncOptions) as SyncOptionName[]) {
      const value = samples[name] ?? true;
      expect(
        configOf(
          JSON.stringify({ [name]: value, workspaces: { prod: { overrides: { [name]: value }, promotionOverrides: { [name]: value } } } }),
        ),
      ).toHaveProperty(name);
    }
  });

  it("accepts an empty file", () => {
    expect(configOf("")).toEqual({});
  });
});

describe("resolveOptions", () => {
  const config = configOf(`
includes: [f/**]
extraIncludes: [u/ann/**]
parallel: 2
skipApps: true
workspaces:
  commonSpecificItems: { variables: [f/env/**] }
  dev: { overrides: { parallel: 3, promotion: main } }
  prod: { gitBranch: main, promotionOverrides: { skipApps: false }, specificItems: { resources: [f/db], settings: true } }
`);

  it("applies the workspace, the promotion and the flags in this order", () => {
    expect(resolveOptions(config, undefined, {})).toMatchObject({
      includes: ["f/**", "u/ann/**"],
      parallel: 2,
      skipApps: true,
      skipSecrets: true,
    });
    expect(resolveOptions(config, "dev", {})).toMatchObject({ parallel: 3, skipApps: false });
    expect(resolveOptions(config, "dev", { parallel: 9 })).toMatchObject({ parallel: 9 });
    expect(resolveOptions(config, undefined, { promotion: "main", skipSecrets: false })).toMatchObject({
      skipApps: false,
      skipSecrets: false,
    });
  });

  it("adds the specific items of a workspace to those of all", () => {
    expect(listSpecificItems(config, "prod")).toEqual({
      variables: ["f/env/**"],
      resources: ["f/db"],
      triggers: [],
      folders: [],
      settings: true,
    });
    expect(listSpecificItems(config, "dev")).toMatchObject({ variables: ["f/env/**"], settings: false });
  });
});

it("describes every property in the JSON Schema", () => {
  const { properties } = toConfigJsonSchema() as { properties: object };
  expect(Object.keys(properties).sort()).toEqual(
    [...Object.keys(syncOptions), "codebases", "environments", "gitBranches", "workspaces"].sort(),
  );
});
