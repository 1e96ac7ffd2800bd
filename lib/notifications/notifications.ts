import { ArnFormat, Duration, Stack } from "aws-cdk-lib";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { ConfigurationSet, EmailIdentity, EmailSendingEvent, EventDestination, Identity, SuppressionReasons } from "aws-cdk-lib/aws-ses";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";

/** Notifications about approvals: a topic to which anything can subscribe, and mail from the deployment's own address. */
export class Notices extends Construct {
  readonly topic: Topic;
  private readonly mail: { from: string; identity: string; set: ConfigurationSet } | undefined;

  constructor(scope: Construct, id: string, { mailFrom, mailIdentity }: StackConfig) {
    super(scope, id);
    this.topic = new Topic(this, "Topic", { displayName: "svc approvals", enforceSSL: true });
    if (mailFrom === undefined) return;
    const set = new ConfigurationSet(this, "Mails", { suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS });
    set.addEventDestination("Returned", {
      destination: EventDestination.eventBus(EventBus.fromEventBusName(this, "Bus", "default")),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT, EmailSendingEvent.REJECT],
    });
    // SES sends a confirmation mail to a new address, unless the address or its domain is already verified.
    if (mailIdentity === undefined) new EmailIdentity(this, "Sender", { identity: Identity.email(mailFrom) });
    this.mail = { from: mailFrom, identity: mailIdentity ?? mailFrom, set };
  }

  /** Grants a function the right to send notifications. Only one function has it. */
  allowSend(fn: LambdaFunction): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sns:Publish"], resources: [this.topic.topicArn] }));
    fn.addEnvironment(env.noticesTopic, this.topic.topicArn);
    if (!this.mail) return;
    const { from, identity, set } = this.mail;
    const arn = (resource: string, resourceName: string) =>
      Stack.of(this).formatArn({ service: "ses", resource, resourceName, arnFormat: ArnFormat.SLASH_RESOURCE_NAME });
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["ses:SendEmail"],
        resources: [arn("identity", identity), arn("configuration-set", set.configurationSetName)],
        conditions: { StringEquals: { "ses:FromAddress": from } },
      }),
    );
    fn.addEnvironment(env.mailFrom, from);
    fn.addEnvironment(env.mailSet, set.configurationSetName);
    new Rule(this, "MailReturned", {
      description: "svc: bounced mails",
      eventPattern: {
        source: ["aws.ses"],
        detailType: ["Email Bounced", "Email Complaint Received", "Email Rejected"],
        detail: { mail: { tags: { "ses:configuration-set": [set.configurationSetName] } } },
      },
      targets: [new LambdaTarget(fn, { retryAttempts: 3, maxEventAge: Duration.hours(1) })],
    });
  }
}
