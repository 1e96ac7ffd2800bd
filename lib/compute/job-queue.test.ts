import { describe, expect, it } from "vitest";
import { aStack } from "../stack-fixture.ts";
import { aws, descriptions, fn, list, rightsOf } from "../stack-rights.ts";

describe("job queues", () => {
  // Deliveries and triggers have their own queues.
  const all = Object.entries(aws.findResources("AWS::SQS::Queue")).filter(([id]) => !/^(Deliveries|Triggers)/.test(id));
  const queues = all.filter(([, { Properties }]) => Properties.RedrivePolicy);
  const [deadLetters = ""] = all.flatMap(([id, { Properties }]) => (Properties.RedrivePolicy || id.includes("Unremoved") ? [] : [id]));
  const variables = fn(aws, descriptions.run).properties.Environment.Variables;

  it("jobs with a priority have their own queue, and every sender may send to both queues and to no other", () => {
    const ids = [variables.SVC_QUEUE_URL.Ref, variables.SVC_HIGH_QUEUE_URL.Ref];
    expect(new Set(ids)).toEqual(new Set(queues.map(([id]) => id)));
    expect(ids).toHaveLength(2);
    for (const name of ["run", "stream", "objects", "triggers", "jobs", "people", "worker", "housekeeping", "deadLetter"] as const) {
      const targets = rightsOf(aws, descriptions[name])
        .statements.filter(({ Action }) => Action === "sqs:SendMessage")
        .flatMap(({ Resource }) => list(Resource))
        .filter((target) => !JSON.stringify(target).includes("Deliveries"));
      expect(targets).toEqual(ids.map((id) => ({ "Fn::GetAtt": [id, "Arn"] })));
    }
  });

  it("a queue moves a message to the consumed dead-letter queue after five attempts", () => {
    for (const [, { Properties }] of queues) {
      expect(Properties.RedrivePolicy).toEqual({ deadLetterTargetArn: { "Fn::GetAtt": [deadLetters, "Arn"] }, maxReceiveCount: 5 });
    }
    aws.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      EventSourceArn: { "Fn::GetAtt": [deadLetters, "Arn"] },
      FunctionName: { Ref: fn(aws, descriptions.deadLetter).id },
    });
  });

  it("a queue hides a message for longer than a worker can run", () => {
    for (const [, { Properties }] of queues) expect(Properties.VisibilityTimeout).toBe(960);
    expect(fn(aws, descriptions.worker).properties.Timeout).toBeLessThan(960);
  });

  it("each queue gives a worker one job, so that no job waits for the end of another one, and has a limited number of workers", () => {
    const batched = aStack({ workerBatchSize: 10 }).template;
    for (const [template, messages, workers] of [[aws, 1, 60] as const, [batched, 10, 10] as const]) {
      for (const [id] of queues) {
        template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
          EventSourceArn: { "Fn::GetAtt": [id, "Arn"] },
          BatchSize: messages,
          FunctionResponseTypes: ["ReportBatchItemFailures"],
          ScalingConfig: { MaximumConcurrency: workers },
          FunctionName: { Ref: fn(aws, descriptions.worker).id },
        });
      }
    }
  });
});
