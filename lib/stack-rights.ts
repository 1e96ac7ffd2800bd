import type { Template } from "aws-cdk-lib/assertions";
import { runnerLanguages } from "../contract/languages.ts";
import { aStack } from "./stack-fixture.ts";

export interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: unknown;
}

/** The stack on AWS. */
export const onAws = aStack({ alarmEmail: "ops@example.com" });
/** The stack on the local engine. */
export const locally = aStack({ local: true, baseUrl: "http://127.0.0.1:8000" });
export const aws = onAws.template;

export const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** Finds the function whose description begins with a text, and its properties. Throws an error unless there is exactly one. */
export function fn(template: Template, description: string) {
  const found = Object.entries(template.findResources("AWS::Lambda::Function")).filter(([, { Properties }]) =>
    String(Properties.Description).startsWith(description),
  );
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} functions are described as ${description}`);
  return { id: found[0][0], properties: found[0][1].Properties };
}

/** Returns the statements of a role. The stack has no other policies of roles: svc-stack.test.ts. */
export const statementsOf = ({ Policies = [] }: { Policies?: { PolicyDocument: { Statement: Statement[] } }[] }): Statement[] =>
  Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

/** Returns the rights of a function's role. */
export function rightsOf(template: Template, description: string): { actions: Set<string>; statements: Statement[]; managed: unknown[] } {
  const role = fn(template, description).properties.Role["Fn::GetAtt"][0] ?? "";
  const roleProperties = template.findResources("AWS::IAM::Role")[role]?.Properties ?? {};
  const statements = statementsOf(roleProperties);
  return {
    actions: new Set(statements.flatMap(({ Action }) => list(Action))),
    statements,
    managed: roleProperties.ManagedPolicyArns ?? [],
  };
}

/** The descriptions of the functions that run no user code, by name. */
export const descriptions = {
  run: "svc: run routes",
  routes: "svc: requests to HTTP routes",
  stream: "svc: streams of runs and job updates",
  objects: "svc: stored objects",
  sync: "svc: archives of workspaces",
  triggers: "svc: schedules and triggers",
  jobs: "svc: lists, results and cancellation of jobs",
  people: "svc: workspaces, users and permissions",
  api: "svc: API reference",
  console: "svc: what users store for the console",
  approve: "svc: approvals",
  chat: "svc: calls of chat applications",
  beat: "svc: heartbeats",
  worker: "svc: runs queued jobs",
  housekeeping: "svc: due jobs, lost jobs",
  deadLetter: "svc: dead letters",
  flows: "svc: creates state machines",
  setup: "svc: creates the first administrator",
  build: "svc: resolves dependencies",
  step: "svc: steps of flows",
  settle: "svc: flows whose execution",
  deliver: "svc: notifications and events",
  remove: "svc: data of expired jobs",
  receive: "svc: messages of triggers",
  connect: "svc: connects queues",
} as const;
export const runner = (language: string) => `svc: runs ${language} scripts`;
/** The functions that run code of users. */
export const untrusted = [descriptions.build, ...runnerLanguages.map(runner)];

/** Returns the sorted actions of a function's role on AWS that begin with a prefix. */
export const actionsOf = (name: keyof typeof descriptions, prefix = "") =>
  [...rightsOf(aws, descriptions[name]).actions].filter((action) => action.startsWith(prefix)).sort();
