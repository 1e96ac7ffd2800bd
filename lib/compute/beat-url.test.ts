import { describe, expect, it } from "vitest";
import { env } from "../../contract/env.ts";
import { parseConfig } from "../config.ts";
import { aws, descriptions, fn, locally } from "../stack-rights.ts";
import { divideConcurrency } from "./concurrency.ts";

const urlId = Object.keys(aws.findResources("AWS::Lambda::Url"))[0] ?? "";
const beat = fn(aws, descriptions.beat);

describe("the URL of the function beat", () => {
  it("is the only function URL of the stack, requires no credentials and buffers replies", () => {
    aws.resourceCountIs("AWS::Lambda::Url", 1);
    aws.hasResourceProperties("AWS::Lambda::Url", {
      TargetFunctionArn: { "Fn::GetAtt": [beat.id, "Arn"] },
      AuthType: "NONE",
      InvokeMode: "BUFFERED",
    });
  });

  it("has both permissions that Lambda requires since October 2025, which only requests to the URL can use", () => {
    const open = Object.values(aws.findResources("AWS::Lambda::Permission")).filter(({ Properties }) => Properties.Principal === "*");
    const about = { FunctionName: { "Fn::GetAtt": [beat.id, "Arn"] }, Principal: "*" };
    expect(open.map(({ Properties }) => Properties)).toEqual([
      { ...about, Action: "lambda:InvokeFunctionUrl", FunctionUrlAuthType: "NONE" },
      { ...about, Action: "lambda:InvokeFunction", InvokedViaFunctionUrl: true },
    ]);
  });

  it("is the origin to which executors send runners, and locally the front server is", () => {
    const origin = {
      "Fn::Join": ["", ["https://", { "Fn::Select": [2, { "Fn::Split": ["/", { "Fn::GetAtt": [urlId, "FunctionUrl"] }] }] }]],
    };
    for (const executor of ["run", "routes", "worker", "step"] as const) {
      expect(fn(aws, descriptions[executor]).properties.Environment.Variables[env.beatUrl]).toEqual(origin);
      const local = fn(locally.template, descriptions[executor]).properties.Environment.Variables;
      expect(local[env.beatUrl]).toBe("http://127.0.0.1:8000");
    }
    locally.template.resourceCountIs("AWS::Lambda::Url", 0);
  });

  it("is the only public way to the function: API Gateway may not invoke it", () => {
    const invokers = Object.values(aws.findResources("AWS::Lambda::Permission")).filter(({ Properties }) =>
      JSON.stringify(Properties.FunctionName).includes(beat.id),
    );
    expect(invokers.map(({ Properties }) => Properties.Principal)).toEqual(["*", "*"]);
    // A request to the URL has no key of CloudFront, which the other functions require.
    expect(beat.properties.Environment.Variables[env.edgeKeys]).toBeUndefined();
  });

  it("accepts the heartbeats of all runs that the quota of Lambda allows: ten requests a second for each reserved execution", () => {
    const { workers, messagesOfWorker, reserved } = divideConcurrency(parseConfig({}));
    const runs = 2 * workers * messagesOfWorker + reserved.step + reserved.run + reserved.routes;
    // A run sends a heartbeat every two seconds in its first minute.
    expect(beat.properties.ReservedConcurrentExecutions * 10).toBeGreaterThanOrEqual(runs / 2);
  });
});
