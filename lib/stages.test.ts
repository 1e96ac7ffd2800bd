import { describe, expect, it } from "vitest";
import { buildMachinePrefix, DEFAULT_STACK } from "../contract/deployment/stack-names.ts";
import { env } from "../contract/env.ts";
import { parseConfig } from "./config.ts";
import { aStack } from "./stack-fixture.ts";
import { aws, descriptions, fn, list, statementsOf } from "./stack-rights.ts";

const STAGING = "staging-svc";
const staging = aStack({ stackName: STAGING, alarmEmail: "ops@example.com", dashboard: true }).template;

type Template = typeof aws;
interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
}
const resourcesOf = (template: Template) => Object.values(template.toJSON()["Resources"] as Record<string, Resource>);

/** The names that the template itself gives. CloudFormation derives all other names from the stack's. */
const namesOf = (template: Template) =>
  resourcesOf(template).flatMap(({ Type, Properties = {} }) => {
    const ownNames = ["Name", "AliasName", "Domain", "EmailIdentity", `${Type.split("::").at(-1)}Name`];
    // The name of a stage is unique within its API.
    if (Type === "AWS::ApiGateway::Stage") return [];
    return ownNames.flatMap((name) => (name in Properties ? [`${Type} ${JSON.stringify(Properties[name])}`] : []));
  });

/** The patterns of machines and executions in all rights of all roles, except for lists of all machines, which reveal names only. */
function machinePatterns(template: Template): string[] {
  const statements = Object.values(template.findResources("AWS::IAM::Role")).flatMap(({ Properties }) => statementsOf(Properties));
  return statements
    .filter(({ Action }) => list(Action).some((action) => action.startsWith("states:") && action !== "states:ListStateMachines"))
    .flatMap(({ Resource }) => list(Resource).map((arn) => JSON.stringify(arn)))
    .map((arn) => /(?:stateMachine|execution):([^"]*)"/.exec(arn)?.[1] ?? expect.fail(`A right names no machine: ${arn}`));
}
const matches = (pattern: string, name: string) => new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name);

describe("two stages in one account and region", () => {
  it("have no resource of the same name", () => {
    const production = namesOf(aws);
    expect(production).toContain('AWS::ApiGateway::RestApi "svc"');
    expect(namesOf(staging).filter((name) => production.includes(name))).toEqual([]);
    expect(Object.values(staging.findOutputs("*")).filter((output) => "Export" in output)).toEqual([]);
  });

  it.each([
    ["svc", aws, DEFAULT_STACK, STAGING],
    [STAGING, staging, STAGING, DEFAULT_STACK],
  ])("the roles of %s may use its own state machines, and none of the other stage", (_, template, own, other) => {
    const patterns = machinePatterns(template);
    expect(patterns.length).toBeGreaterThan(5);
    for (const pattern of patterns) {
      const reached = (stack: string) =>
        [`${buildMachinePrefix(stack, "w")}x`, `${buildMachinePrefix(stack, "w")}x:run`].some((name) => matches(pattern, name));
      expect([pattern, reached(own), reached(other)]).toEqual([pattern, true, false]);
    }
  });

  it("receive the ends of executions of their stack only", () => {
    const prefixes = [aws, staging].map((template) =>
      Object.values(template.findResources("AWS::Events::Rule")).flatMap(({ Properties }) => {
        const [machine] = Properties.EventPattern?.detail?.stateMachineArn ?? [];
        return machine ? [JSON.stringify(machine.prefix)] : [];
      }),
    );
    expect(prefixes).toEqual([[expect.stringContaining(':stateMachine:svc-"')], [expect.stringContaining(':stateMachine:staging-svc_"')]]);
  });

  it("have separate metrics and alarms", () => {
    expect(fn(staging, descriptions.worker).properties.Environment.Variables[env.stack]).toBe(STAGING);
    const counted = (template: Template) =>
      Object.values(template.findResources("AWS::CloudWatch::Alarm"))
        .filter(({ Properties }) => Properties.Namespace === "svc")
        .flatMap(({ Properties }) => Properties.Dimensions);
    expect(counted(staging).length).toBeGreaterThan(0);
    expect(counted(staging)).toEqual(counted(staging).map(() => ({ Name: "service", Value: STAGING })));
    const boards = Object.values(staging.findResources("AWS::CloudWatch::Dashboard"));
    expect(JSON.stringify(boards)).toContain(STAGING);
  });

  it("cannot have names with which one stage would match the machines of the other", () => {
    expect(() => parseConfig({ stackName: "svc-staging" })).toThrow("The name of another stack cannot begin with svc-.");
    expect(() => parseConfig({ stackName: "a_b" })).toThrow("1 to 12 lower-case letters");
    // The longest workspace and the hash of the definition must fit into a machine's name.
    expect(() => parseConfig({ stackName: "a-very-long-name" })).toThrow("1 to 12 lower-case letters");
  });
});
