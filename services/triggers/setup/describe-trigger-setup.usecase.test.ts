import { expect, it } from "vitest";
import { instanceSettingObject } from "../../../core/objects/setting.ts";
import { AWS_TRIGGER_SOURCES } from "../../../core/triggers/sources.ts";
import { MAIL_DOMAIN, newTriggerWorld } from "../../../test/support/use-cases/world-triggers.ts";
import { describeTriggerSetup } from "./describe-trigger-setup.ts";

it("the setup of triggers names the deployment, and the sources that its workspace may use", async () => {
  const { deps, workspace } = await newTriggerWorld();
  const topic = "arn:aws:sns:us-east-1:000000000000:orders";
  const value = { [workspace]: [topic], other: ["arn:aws:s3:::private"] };
  await deps.objects.put({ ...instanceSettingObject.key(AWS_TRIGGER_SOURCES), value });
  const deployment = { triggerQueueArn: "arn:aws-cn:sqs:cn-north-1:123456789012:svc-triggers", stack: "svc-test" };
  expect(await describeTriggerSetup({ ...deps, ...deployment }, workspace)).toEqual({
    partition: "aws-cn",
    region: "cn-north-1",
    account: "123456789012",
    allowed_sources: [topic],
    mail_domain: MAIL_DOMAIN,
    mail_rule_set: "svc-test-mail",
  });
  expect(await describeTriggerSetup({ ...deps, ...deployment, mailDomain: undefined }, "none")).not.toHaveProperty("mail_domain");
});
