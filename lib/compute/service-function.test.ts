import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { runnerLanguages } from "../../contract/languages.ts";
import { aStack } from "../stack-fixture.ts";
import { aws, descriptions, fn, locally, rightsOf, runner } from "../stack-rights.ts";

describe("functions", () => {
  it("functions retain their logs for 30 days, or for the configured 14", () => {
    const retention = (template: Template) =>
      new Set(Object.values(template.findResources("AWS::Logs::LogGroup")).map(({ Properties }) => Properties.RetentionInDays));
    expect(retention(aws)).toEqual(new Set([30]));
    expect(retention(aStack({ logRetentionDays: 14 }).template)).toEqual(new Set([14]));
    for (const { Properties } of Object.values(aws.findResources("AWS::Lambda::Function"))) {
      expect(Properties.LoggingConfig).toMatchObject({ LogFormat: "JSON" });
    }
  });

  it("every runner on AWS isolates tenants, and executors are configured for it", () => {
    for (const language of runnerLanguages) {
      expect(fn(aws, runner(language)).properties).toMatchObject({
        TenancyConfig: { TenantIsolationMode: "PER_TENANT" },
        Timeout: 900,
        MemorySize: 1769,
      });
    }
    const callers = Object.values(descriptions).filter((name) => JSON.stringify(rightsOf(aws, name).statements).match(/"(Runners|Builds)/));
    expect(callers).toEqual([descriptions.run, descriptions.routes, descriptions.worker, descriptions.step]);
    for (const name of callers) {
      expect(fn(aws, name).properties).toMatchObject({ Environment: { Variables: { SVC_TENANCY: "identity" } } });
      expect(JSON.stringify(fn(locally.template, name).properties)).not.toContain("SVC_TENANCY");
    }
  });

  it("an update replaces a builder without tenants, whose isolation cannot be changed", () => {
    expect(fn(aws, descriptions.build)).toMatchObject({ properties: { TenancyConfig: { TenantIsolationMode: "PER_TENANT" } } });
    // The name of the function in releases without tenants, before its hash.
    expect(fn(aws, descriptions.build).id).not.toMatch(/^BuildsBuildFn/);
    // A fixed name would make the new function collide with the old one.
    expect(fn(aws, descriptions.build).properties.FunctionName).toBeUndefined();
  });

  it("the API, approve and beat have reserved concurrency, unless the account's quota is too small", () => {
    const reserved = (template: Template, names: readonly (keyof typeof descriptions)[]) =>
      names.map((name) => fn(template, descriptions[name]).properties.ReservedConcurrentExecutions);
    expect(reserved(aws, ["approve", "beat"])).toEqual([20, 50]);
    expect(reserved(aws, ["objects", "sync", "triggers", "jobs", "people", "console", "api", "chat"])).toEqual([10, 3, 5, 12, 10, 5, 3, 2]);
    // The functions of the API divide one reservation, however small it is.
    expect(reserved(aStack({ reservedConcurrency: 7 }).template, ["objects", "triggers", "jobs", "people", "api"])).toEqual([
      1,
      undefined,
      5,
      1,
      undefined,
    ]);
    expect(JSON.stringify(aStack({ reservedConcurrency: 0 }).template.toJSON())).not.toContain("ReservedConcurrentExecutions");
  });

  it("functions use current runtimes, the cheaper processor and plain zips without Docker", () => {
    for (const { Properties } of Object.values(aws.findResources("AWS::Lambda::Function"))) {
      expect(["nodejs24.x", "python3.14"]).toContain(Properties.Runtime);
      expect(Properties.Architectures).toEqual(["arm64"]);
      expect(Properties.Code).toHaveProperty("S3Key");
      expect(Properties.PackageType).toBeUndefined();
    }
    aws.resourceCountIs("AWS::ECR::Repository", 0);
  });

  it("the worker knows the target of artefacts", () => {
    expect(fn(aws, descriptions.worker).properties).toMatchObject({
      Environment: { Variables: { SVC_BUILD_TARGET: '{"os":"linux","arch":"arm64","python":"3.14","node":"24"}' } },
    });
  });

  it("housekeeping runs every minute", () => {
    aws.hasResourceProperties("AWS::Events::Rule", {
      ScheduleExpression: "rate(1 minute)",
      Targets: [Match.objectLike({ Arn: { "Fn::GetAtt": [fn(aws, descriptions.housekeeping).id, "Arn"] } })],
    });
  });
});
