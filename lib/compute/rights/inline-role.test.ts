import { Template } from "aws-cdk-lib/assertions";
import { expect, it } from "vitest";
import { anApp } from "../../app-fixture.ts";
import { parseConfig } from "../../config.ts";
import { stubBundles } from "../../stack-fixture.ts";
import { SvcStack } from "../../svc-stack.ts";

/** The feature flags of cdk.json: statements are merged. */
const FLAGS = { "@aws-cdk/aws-iam:minimizePolicies": true };
/** The maximum for all inline policies of a role together, without white space ("IAM and STS quotas"). */
const MAX_CHARACTERS = 10_240;
/** A long ARN that replaces each reference to a resource. */
const ARN = "arn:aws:dynamodb:ap-southeast-2:123456789012:table/staging-svcx-JobsTable0A1B2C3D-1ABCDEFGHIJKL";

/** Returns the length of a policy once CloudFormation has resolved its references. */
function lengthOf(policy: unknown): number {
  return JSON.stringify(policy, (_, value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    if ("Ref" in value) return String(value.Ref).startsWith("AWS::") ? "ap-southeast-2" : ARN;
    if ("Fn::GetAtt" in value) return ARN;
    if ("Fn::Join" in value) {
      const [separator, parts] = value["Fn::Join"] as [string, unknown[]];
      return parts.map((part) => (typeof part === "string" ? part : ARN)).join(separator);
    }
    return value;
  }).length;
}

it("an update can add the rights of a role before it deletes the second resource in which an earlier release stored them", () => {
  const stack = new SvcStack(anApp(FLAGS), "svc", { config: parseConfig({}, true), bundles: stubBundles() });
  const template = Template.fromStack(stack);
  const roles = Object.entries(template.findResources("AWS::IAM::Role"));
  const lengths = new Map(roles.map(([id, { Properties }]) => [id, lengthOf(Properties.Policies ?? [])]));
  expect(Math.max(...lengths.values())).toBeGreaterThan(1000);
  // The rights of both releases are about the same. The role of housekeeping has another id, so it is a new role.
  const tooLong = [...lengths].filter(([, length]) => 2 * length > MAX_CHARACTERS).map(([id]) => id.replace(/[0-9A-F]{8}$/, ""));
  expect(tooLong).toEqual(["HousekeepingExecutionRole"]);
  expect([...lengths.values()].filter((length) => length > MAX_CHARACTERS)).toEqual([]);
});
