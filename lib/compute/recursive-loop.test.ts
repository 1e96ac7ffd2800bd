import { describe, expect, it } from "vitest";
import { aws, descriptions, fn, list, statementsOf } from "../stack-rights.ts";

/**
 * Lambda stops a function that is invoked about 16 times in one chain of requests. It follows messages of SQS and SNS, objects of S3 and direct
 * invocations; DynamoDB and Step Functions end a chain (AWS Lambda Developer Guide, "Recursive loop detection").
 */
const followed: Record<string, string> = { "sqs:SendMessage": "queue", "sns:Publish": "topic", "lambda:InvokeFunction": "function" };

const resourcesOf = (type: string) => Object.entries(aws.findResources(type));

/** Every logical id that a part of the template names. */
function idsIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(idsIn);
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (key === "Ref" && typeof value === "string") return [value];
    if (key === "Fn::GetAtt" && Array.isArray(value)) return [String(value[0])];
    return idsIn(value);
  });
}

/** Returns the targets of the messages and invocations of each function, queue and topic. */
function edges(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (from: string, to: readonly string[]) => {
    const of = found.get(from) ?? new Set();
    for (const id of to) of.add(id);
    found.set(from, of);
  };
  const functionsOfRole = new Map(resourcesOf("AWS::Lambda::Function").map(([id, { Properties }]) => [idsIn(Properties["Role"])[0], id]));
  for (const [role, { Properties }] of resourcesOf("AWS::IAM::Role")) {
    const sender = functionsOfRole.get(role);
    for (const { Action, Resource } of statementsOf(Properties)) {
      if (sender && list(Action).some((action) => action in followed)) add(sender, idsIn(Resource));
    }
  }
  for (const [, { Properties }] of resourcesOf("AWS::Lambda::EventSourceMapping")) {
    for (const queue of idsIn(Properties["EventSourceArn"])) add(queue, idsIn(Properties["FunctionName"]));
  }
  for (const [queue, { Properties }] of resourcesOf("AWS::SQS::Queue")) add(queue, idsIn(Properties["RedrivePolicy"]));
  for (const [, { Properties }] of resourcesOf("AWS::SNS::Subscription")) {
    for (const topic of idsIn(Properties["TopicArn"])) add(topic, idsIn(Properties["Endpoint"]));
  }
  return found;
}

function reaches(graph: Map<string, Set<string>>, from: string): Set<string> {
  const seen = new Set<string>();
  const open = [...(graph.get(from) ?? [])];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(graph.get(id) ?? []));
  }
  return seen;
}

const idOf = (name: keyof typeof descriptions) => fn(aws, descriptions[name]).id;

/** Functions whose own messages may invoke them again, without a limit. */
const loops = {
  [idOf("worker")]: "a job that ends hands its slot to the next job of its group, and a postponed job is sent again",
  [idOf("deliver")]: "an attempt that fails sends the message of the next one",
  [idOf("deadLetter")]: "a job that it sends again may fail again, in the worker",
};

describe("recursive loop detection", () => {
  it("every function that its own messages can invoke again may loop", () => {
    const graph = edges();
    const inLoops = resourcesOf("AWS::Lambda::Function").flatMap(([id]) => (reaches(graph, id).has(id) ? [id] : []));
    expect(inLoops.sort()).toEqual(Object.keys(loops).sort());
  });

  it("only the functions with their own loop may loop", () => {
    const allowed = resourcesOf("AWS::Lambda::Function").flatMap(([id, { Properties }]) =>
      Properties["RecursiveLoop"] === "Allow" ? [id] : [],
    );
    expect(allowed.sort()).toEqual(Object.keys(loops).sort());
  });
});
