import { ArnFormat, Duration, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { CfnReceiptRule, CfnReceiptRuleSet } from "aws-cdk-lib/aws-ses";
import { Topic } from "aws-cdk-lib/aws-sns";
import { SqsSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { buildTriggerRulePrefix, RECEIVE_TIMEOUT_S } from "../../contract/deployment/stack-names.ts";
import { env } from "../../contract/env.ts";
import { divideConcurrency } from "../compute/concurrency.ts";
import { queueProps } from "../compute/queue-props.ts";
import type { StackConfig } from "../config.ts";
import { acknowledgeWildcard } from "../observability/nag.ts";
import type { Storage } from "../storage/bucket.ts";

/** Deliveries of a message, after which it goes to the dead-letter queue (`limits.triggerReceives`). */
const MAX_RECEIVES = 3;
/** The tag of the queues whose messages a workspace may read. */
const WORKSPACE_TAG = "svc:workspace";
const REASON =
  "Users name queues, topics and event buses at run time. The condition limits the permission to those that the service may use.";

/**
 * The queue to which topics, event rules and SES send the messages of triggers, with its dead-letter queue. Queues of users are read where they
 * are. Only function `connect` makes mappings, subscriptions and rules.
 */
export class Triggers extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  private readonly config: StackConfig;
  private readonly mail: Topic | undefined;

  constructor(scope: Construct, id: string, config: StackConfig, storage: Storage) {
    super(scope, id);
    this.config = config;
    this.deadLetters = new Queue(this, "DeadLetters", queueProps);
    this.queue = new Queue(this, "Queue", {
      ...queueProps,
      // Lambda recommends six times the timeout of the function.
      visibilityTimeout: Duration.seconds(6 * RECEIVE_TIMEOUT_S),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
    const { account } = Stack.of(this);
    const arns = { "sns.amazonaws.com": this.arn("sns", "*"), "events.amazonaws.com": this.ruleArns() };
    for (const [principal, sources] of Object.entries(arns)) {
      this.queue.addToResourcePolicy(
        new PolicyStatement({
          principals: [new ServicePrincipal(principal)],
          actions: ["sqs:SendMessage"],
          resources: [this.queue.queueArn],
          conditions: { ArnLike: { "aws:SourceArn": sources }, StringEquals: { "aws:SourceAccount": account } },
        }),
      );
    }
    this.mail = config.mailDomain === undefined ? undefined : this.addMail(config.mailDomain, storage);
  }

  /** The topic on which SES reports mails, if the deployment receives any. */
  get mailTopicArn(): string | undefined {
    return this.mail?.topicArn;
  }

  /** SES stores a mail in the bucket, and reports it on a topic with its verdicts. */
  private addMail(mailDomain: string, storage: Storage): Topic {
    const topic = new Topic(this, "Mail", { displayName: "svc mails", enforceSSL: true });
    topic.addSubscription(new SqsSubscription(this.queue));
    // The local engine receives no mail.
    if (this.config.local) return topic;
    const { account } = Stack.of(this);
    const { stackName } = this.config;
    const rules = new CfnReceiptRuleSet(this, "MailRules", { ruleSetName: `${stackName}-mail` });
    const ruleArn = Stack.of(this).formatArn({
      service: "ses",
      resource: "receipt-rule-set",
      resourceName: `${stackName}-mail:receipt-rule/triggers`,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    const onlyFromRule = { StringEquals: { "aws:SourceAccount": account }, ArnEquals: { "aws:SourceArn": ruleArn } };
    const ses = new ServicePrincipal("ses.amazonaws.com");
    const policy = storage.allowMails(ses, onlyFromRule);
    topic.addToResourcePolicy(
      new PolicyStatement({ principals: [ses], actions: ["sns:Publish"], resources: [topic.topicArn], conditions: onlyFromRule }),
    );
    const rule = new CfnReceiptRule(this, "MailRule", {
      ruleSetName: rules.ref,
      rule: {
        name: "triggers",
        enabled: true,
        recipients: [mailDomain],
        // SES scans for spam and viruses, and function `receive` refuses both.
        scanEnabled: true,
        tlsPolicy: "Optional",
        actions: [{ s3Action: { bucketName: storage.bucket.bucketName, objectKeyPrefix: "mail/", topicArn: topic.topicArn } }],
      },
    });
    // When the rule is created, SES checks that it may write.
    rule.node.addDependency(topic);
    if (policy) rule.node.addDependency(policy);
    return topic;
  }

  /** Grants a function the messages of triggers, and the messages of the account's queues that are tagged for a workspace. */
  allowReceive(fn: LambdaFunction): void {
    // Polling costs $0.26 a month also without messages, so on AWS the function `connect` makes the mapping once something may send to the queue.
    if (this.config.local) {
      fn.addEventSource(new SqsEventSource(this.queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: this.receivers() }));
    } else {
      this.queue.grantConsumeMessages(fn);
    }
    this.allow(
      fn,
      ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ChangeMessageVisibility"],
      this.arn("sqs", "*"),
      {
        Null: { [`aws:ResourceTag/${WORKSPACE_TAG}`]: "false" },
      },
    );
    // Whether a queue is tagged is only known once its tags are read.
    this.allow(fn, ["sqs:ListQueueTags"], this.arn("sqs", "*"));
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.deadLetters.queueArn] }));
    fn.addEnvironment(env.triggerDeadLetterUrl, this.deadLetters.queueUrl);
    fn.addEnvironment(env.triggerQueueArn, this.queue.queueArn);
    this.provideMailDomain(fn);
    if (this.mail) fn.addEnvironment(env.mailTopic, this.mail.topicArn);
  }

  /** The maximum number of concurrent invocations for the messages of the queue. */
  private receivers(): number {
    return divideConcurrency(this.config).receivers;
  }

  /** Provides the names that commands for the sources of triggers contain. */
  provideNames(fn: LambdaFunction): void {
    fn.addEnvironment(env.triggerQueueArn, this.queue.queueArn);
    this.provideMailDomain(fn);
  }

  /** Provides the domain of the addresses of mail triggers. */
  provideMailDomain(fn: LambdaFunction): void {
    if (this.config.mailDomain !== undefined) fn.addEnvironment(env.mailDomain, this.config.mailDomain);
  }

  /** Grants the function `connect` mappings to `receive`, subscriptions of the queue of triggers, and rules that send to it, and nothing else. */
  allowConnect(fn: LambdaFunction, receive: LambdaFunction): void {
    const toReceive = { ArnEquals: { "lambda:FunctionArn": receive.functionArn } };
    const changes = ["lambda:CreateEventSourceMapping", "lambda:UpdateEventSourceMapping", "lambda:DeleteEventSourceMapping"];
    this.allow(fn, changes, "*", toReceive);
    // IAM has no narrower form of this list.
    this.allow(fn, ["lambda:ListEventSourceMappings"], "*");
    this.allow(fn, ["sqs:ListQueueTags", "sqs:GetQueueAttributes"], this.arn("sqs", "*"));
    this.allow(fn, ["sns:Subscribe"], this.arn("sns", "*"), {
      StringEquals: { "sns:Protocol": "sqs", "sns:Endpoint": this.queue.queueArn },
    });
    this.allow(fn, ["sns:Unsubscribe", "sns:ListSubscriptionsByTopic"], this.arn("sns", "*"));
    for (const rules of this.ruleArns()) {
      this.allow(fn, ["events:PutRule", "events:DeleteRule", "events:RemoveTargets", "events:TagResource"], rules);
      // A request names several targets, so the key has several values. ForAllValues is also true without a value.
      this.allow(fn, ["events:PutTargets"], rules, {
        "ForAllValues:ArnEquals": { "events:TargetArn": this.queue.queueArn },
        Null: { "events:TargetArn": "false" },
      });
    }
    this.allow(fn, ["events:TestEventPattern"], "*");
    this.provideMailDomain(fn);
    fn.addEnvironment(env.triggerConcurrency, String(this.receivers()));
    fn.addEnvironment(env.triggerQueueArn, this.queue.queueArn);
    fn.addEnvironment(env.receiveFunctionArn, receive.functionArn);
  }

  /** Allows a function to have sources checked and connected. */
  allowInvokeConnect(fn: LambdaFunction, connect: LambdaFunction): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [connect.functionArn] }));
    fn.addEnvironment(env.connectFunction, connect.functionName);
  }

  /** Allows a function to hand queues over to `receive`. */
  allowInvokeReceive(fn: LambdaFunction, receive: LambdaFunction): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [receive.functionArn] }));
    fn.addEnvironment(env.receiveFunctionArn, receive.functionArn);
  }

  /** The ARNs of the stack's rules on the default bus and on other buses. */
  private ruleArns(): string[] {
    const prefix = buildTriggerRulePrefix(this.config.stackName);
    return [this.arn("events", `rule/${prefix}*`), this.arn("events", `rule/*/${prefix}*`)];
  }

  private arn(service: string, resource: string): string {
    const { partition, region, account } = Stack.of(this);
    return `arn:${partition}:${service}:${region}:${account}:${resource}`;
  }

  private allow(fn: LambdaFunction, actions: string[], resource: string, conditions: object = {}): void {
    fn.addToRolePolicy(new PolicyStatement({ actions, resources: [resource], conditions }));
    acknowledgeWildcard(fn, resource, REASON);
  }
}
