import { describe, expect, it } from "vitest";
import { parseConfig } from "../config.ts";
import { aStack } from "../stack-fixture.ts";
import { divideConcurrency } from "./concurrency.ts";

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

describe("the sum of reserved concurrency, which npm run aws:check compares with the account", () => {
  it.each([
    {},
    { reservedConcurrency: 0 },
    { reservedConcurrency: 7, stepConcurrency: 3, streamConcurrency: 1 },
    { edge: false, reservedConcurrency: 0, stepConcurrency: 9 },
  ])("equals that of the template with %j", (settings) => {
    const functions = Object.values(aStack(settings).template.findResources("AWS::Lambda::Function"));
    const reserved = functions.map(({ Properties }) => Number(Properties.ReservedConcurrentExecutions ?? 0));
    const divided = Object.values(divideConcurrency(parseConfig(settings)).reserved);
    expect(sum(divided)).toBe(sum(reserved));
  });
});

describe("the role with which API Gateway writes logs", () => {
  it("is part of the stack, unless the setting gatewayLogRole is false", () => {
    aStack().template.resourceCountIs("AWS::ApiGateway::Account", 1);
    const { template, findings } = aStack({ gatewayLogRole: false });
    template.resourceCountIs("AWS::ApiGateway::Account", 0);
    expect(findings).toEqual([]);
  });
});
