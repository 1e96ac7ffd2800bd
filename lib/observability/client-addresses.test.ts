import { describe, expect, it } from "vitest";
import { clientAddressModes } from "../../contract/deployment/client-addresses.ts";
import { env } from "../../contract/env.ts";
import { aStack } from "../stack-fixture.ts";
import { aws, locally } from "../stack-rights.ts";

const variablesOf = (template: typeof aws, name: string) =>
  Object.values(template.findResources("AWS::Lambda::Function")).flatMap(({ Properties }) => {
    const value = Properties.Environment?.Variables?.[name];
    return value === undefined ? [] : [value];
  });
const logsSource = (template: typeof aws) =>
  Object.values(template.findResources("AWS::ApiGateway::Stage")).some(({ Properties }) =>
    Properties.AccessLogSetting.Format.includes("sourceIp"),
  );

describe("addresses of clients in logs", () => {
  it.each(clientAddressModes)(
    "have the form %s in every function that API Gateway calls, and only the form full in the log of API Gateway",
    (mode) => {
      const { template, findings } = aStack({ clientAddresses: mode });
      expect(new Set(variablesOf(template, env.clientAddresses))).toEqual(new Set([mode]));
      // Each of these functions also checks that its requests come from CloudFront.
      expect(variablesOf(template, env.clientAddresses)).toHaveLength(variablesOf(template, env.edgeKeys).length);
      expect(logsSource(template)).toBe(mode === "full");
      const keys = variablesOf(template, env.clientAddressKey);
      expect(keys).toHaveLength(mode === "hashed" ? variablesOf(template, env.edgeKeys).length : 0);
      for (const key of keys) expect(JSON.stringify(key)).toContain("{{resolve:secretsmanager:");
      expect(JSON.stringify(template.toJSON()).match(/resolve:secretsmanager/g)?.length ?? 0).toBeLessThanOrEqual(60);
      expect(findings).toEqual([]);
    },
  );

  it("are shortened by default, and absent locally", () => {
    expect(new Set(variablesOf(aws, env.clientAddresses))).toEqual(new Set(["shortened"]));
    expect(variablesOf(locally.template, env.clientAddresses)).toEqual([]);
    expect(logsSource(locally.template)).toBe(false);
  });
});
