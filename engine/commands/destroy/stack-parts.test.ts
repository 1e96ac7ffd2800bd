import { expect, it } from "vitest";
import { defined } from "../../../contract/defined.ts";
import { Complaint } from "../../launch/complaint.mjs";
import { isReplaced, readStackParts } from "./stack-parts.ts";

it("the parts of a stack name its functions and queues, even if it is deleted", () => {
  const resource = (ResourceType: string, PhysicalResourceId?: string) => ({
    ResourceType,
    ResourceStatus: "DELETE_COMPLETE",
    ...defined({ PhysicalResourceId }),
  });
  const parts = readStackParts({ id: "arn:aws:cloudformation:eu-west-1:123456789012:stack/svc/1", name: "svc" }, [
    resource("AWS::Lambda::Function", "svc-ReceiveFn-1"),
    resource("AWS::Lambda::EventSourceMapping", "0a"),
    resource("AWS::SQS::Queue", "https://sqs.eu-west-1.amazonaws.com/123456789012/svc-TriggersQueue-1"),
    // CloudFormation never created it.
    resource("AWS::SQS::Queue"),
  ]);
  expect(parts.functions).toEqual(new Set(["svc-ReceiveFn-1"]));
  expect(parts.queueArns).toEqual(new Set(["arn:aws:sqs:eu-west-1:123456789012:svc-TriggersQueue-1"]));
  expect(parts.resources.has("0a")).toBe(true);
});

it("a deleted stack is replaced if a newer stack has its name", async () => {
  const stack = { StackId: "arn:old", StackName: "svc", StackStatus: "DELETE_COMPLETE" };
  const missing = () => Promise.reject(new Complaint("Stack with id svc does not exist"));
  const denied = () => Promise.reject(new Complaint("AccessDenied"));
  expect(await isReplaced(stack, async () => ({ StackId: "arn:new" }))).toBe(true);
  expect(await isReplaced(stack, missing)).toBe(false);
  expect(await isReplaced({ ...stack, StackStatus: "UPDATE_COMPLETE" }, denied)).toBe(false);
  await expect(isReplaced(stack, denied)).rejects.toThrow("AccessDenied");
});
