import { describe, expect, it } from "vitest";
import { env } from "../../../contract/env.ts";
import { aStack } from "../../../lib/stack-fixture.ts";
import { descriptions, fn, rightsOf } from "../../../lib/stack-rights.ts";
import { findWriters, type StackTemplate } from "./writers.ts";

const Environment = { Variables: { [env.stack]: "svc" } };
const { template } = aStack({ stepConcurrency: 300 });
const writers = findWriters(template.toJSON() as StackTemplate);
const names = Object.keys(descriptions) as (keyof typeof descriptions)[];
const idOf = (name: keyof typeof descriptions) => fn(template, descriptions[name]).id;
const isWriter = (name: keyof typeof descriptions) => writers.some(({ logicalId }) => logicalId === idOf(name));

describe("the functions that can write to the tables", () => {
  it("are those whose roles have a right to change items, which includes every function that answers requests, runs jobs or does maintenance", () => {
    const CHANGE = /^dynamodb:(Put|Update|Delete|BatchWrite|Transact|PartiQL)/;
    const permitted = names.filter((name) => [...rightsOf(template, descriptions[name]).actions].some((action) => CHANGE.test(action)));
    expect(names.filter(isWriter)).toEqual(permitted);
    // Add a new function here if it cannot write to a table, and after a check that nothing else requires a stop.
    expect(names.filter((name) => !isWriter(name))).toEqual(["api", "chat", "flows", "build"]);
    // The remaining functions are the runners and the pages.
    expect(writers).toHaveLength(permitted.length);
  });

  it("have the reservation that the template gives them, and no other", () => {
    const reservedOf = (name: keyof typeof descriptions) => writers.find(({ logicalId }) => logicalId === idOf(name))?.reserved;
    expect(reservedOf("step")).toBe(300);
    expect(reservedOf("approve")).toBeGreaterThan(0);
    expect(reservedOf("worker")).toBeUndefined();
    for (const name of names.filter(isWriter))
      expect(reservedOf(name)).toBe(fn(template, descriptions[name]).properties.ReservedConcurrentExecutions);
  });

  it.each([
    ["one change", "dynamodb:PutItem", true],
    ["changes among other rights", ["s3:GetObject", "dynamodb:BatchWriteItem"], true],
    ["all changes of a kind", "dynamodb:Update*", true],
    ["everything", "*", true],
    ["reads", ["dynamodb:GetItem", "dynamodb:Query"], false],
    ["changes of another service", ["s3:PutObject", "lambda:*"], false],
  ])("include a function with a right to %s", (_case, Action, expected) => {
    const policy = { PolicyDocument: { Statement: [{ Effect: "Allow", Action, Resource: "*" }] } };
    const write = { Type: "AWS::Lambda::Function", Properties: { Environment, Role: { "Fn::GetAtt": ["Role", "Arn"] } } };
    const attached = { Policy: { Type: "AWS::IAM::Policy", Properties: { ...policy, Roles: [{ Ref: "Role" }] } } };
    const found = { logicalId: "Fn", reserved: undefined, timeoutS: 3 };
    const roles = [
      { Role: { Type: "AWS::IAM::Role" }, ...attached },
      { Role: { Type: "AWS::IAM::Role", Properties: { Policies: [policy] } } },
    ];
    for (const rights of roles) expect(findWriters({ Resources: { Fn: write, ...rights } })).toEqual(expected ? [found] : []);
  });

  it("include a function whose role is not in the template", () => {
    const Role = "arn:aws:iam::111111111111:role/any";
    const Resources = { Fn: { Type: "AWS::Lambda::Function", Properties: { Environment, Role } } };
    expect(findWriters({ Resources })).toMatchObject([{ logicalId: "Fn" }]);
    // It belongs to the app that contains the service.
    for (const other of [{}, { Environment: { Variables: { TABLE: "own" } } }])
      expect(findWriters({ Resources: { Fn: { Type: "AWS::Lambda::Function", Properties: { ...other, Role } } } })).toEqual([]);
  });
});
