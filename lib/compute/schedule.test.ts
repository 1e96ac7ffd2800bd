import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { expect, it } from "vitest";
import { anApp } from "../app-fixture.ts";
import { Tick } from "./schedule.ts";

it("neither EventBridge nor Lambda retries a failed tick, because the next tick finds the same work", () => {
  const stack = new Stack(anApp(), "Test");
  const code = Code.fromInline("exports.handler = () => {};");
  new Tick(stack, "Tick", new LambdaFunction(stack, "Fn", { runtime: Runtime.NODEJS_24_X, handler: "index.handler", code }));
  const template = Template.fromStack(stack);
  template.hasResourceProperties("AWS::Lambda::EventInvokeConfig", { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
  const [rule] = Object.values(template.findResources("AWS::Events::Rule")) as { Properties: { Targets: object[] } }[];
  expect(rule?.Properties.Targets).toEqual([
    expect.objectContaining({ RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } }),
  ]);
});
