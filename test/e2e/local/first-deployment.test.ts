import { expect, it } from "vitest";
import { aStack } from "../../../lib/stack-fixture.ts";
import { createStack, describeStack, listStackEvents } from "../../support/engine/cloudformation.ts";
import { until } from "../../support/until.ts";

interface Resource {
  Type: string;
  DeletionPolicy?: string;
}

/** The resources that outlive the stack, and one that cannot be created after them. */
function failingTemplate() {
  const { Resources } = aStack().template.toJSON() as { Resources: Record<string, Resource> };
  const data = Object.fromEntries(Object.entries(Resources).filter(([, { DeletionPolicy }]) => DeletionPolicy === "RetainExceptOnCreate"));
  const Fails = {
    Type: "AWS::Cognito::UserPoolGroup",
    DependsOn: Object.keys(data),
    Properties: { GroupName: "none", UserPoolId: "us-east-1_nowhere" },
  };
  return { data, template: { Resources: { ...data, Fails } } };
}

it("a failed first deployment leaves no resource, also none that outlives the stack later", async () => {
  const { data, template } = failingTemplate();
  expect(Object.keys(data).length).toBeGreaterThan(5);
  await createStack("svc-first", template);
  await until(async () => (await describeStack("svc-first")).includes("ROLLBACK_COMPLETE"), { what: "the rollback", timeoutMs: 60_000 });
  const events = await listStackEvents("svc-first");
  for (const id of Object.keys(data)) expect([id, events]).toEqual([id, expect.stringMatching(new RegExp(`${id} DELETE_COMPLETE`))]);
  expect(events).not.toContain("DELETE_SKIPPED");
});
