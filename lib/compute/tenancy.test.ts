import { describe, expect, it } from "vitest";
import { env } from "../../contract/env.ts";
import { runnerLanguages } from "../../contract/languages.ts";
import { aStack } from "../stack-fixture.ts";
import { aws, descriptions, fn, locally, runner } from "../stack-rights.ts";

const executors = ["run", "routes", "worker", "step"] as const;
const tenancyOf = (template: typeof aws) =>
  executors.map((name) => fn(template, descriptions[name]).properties.Environment.Variables[env.tenancy]);

describe("the environments of runners", () => {
  it("belong to an identity by default, and to a workspace by a setting", () => {
    expect(new Set(tenancyOf(aws))).toEqual(new Set(["identity"]));
    expect(new Set(tenancyOf(aStack({ tenancy: "workspace" }).template))).toEqual(new Set(["workspace"]));
    expect(new Set(tenancyOf(locally.template))).toEqual(new Set([undefined]));
  });

  it("are isolated by tenant with both settings", () => {
    for (const template of [aws, aStack({ tenancy: "workspace" }).template]) {
      for (const description of [...runnerLanguages.map(runner), descriptions.build]) {
        expect(fn(template, description).properties.TenancyConfig).toEqual({ TenantIsolationMode: "PER_TENANT" });
      }
    }
  });
});
