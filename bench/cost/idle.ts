import { prices } from "../../core/cost/prices.ts";

/** A part of the template that `cdk synth` writes. */
export interface PricedTemplate {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
}

/** The price of a month without work in dollars, at list prices and with the free allowances of an account that uses them for nothing else. */
export interface IdleRow {
  label: string;
  dollars: number;
  withAllowances: number;
}

const MINUTES = 30 * 24 * 60;
/** Lambda waits for messages of a queue with five connections, each of which polls every 20 s. */
const POLLS = MINUTES * 5 * 3;
/** One tick of housekeeping that finds nothing: its duration on AWS and the units that it reads (design §11). */
const tick = { seconds: 0.1, gb: 0.5, readUnits: 17, logBytes: 400 };

/** Types that cost nothing until there are requests, messages or data. */
const FREE = [
  "AWS::ApiGateway::Account",
  "AWS::ApiGateway::Deployment",
  "AWS::ApiGateway::GatewayResponse",
  "AWS::ApiGateway::Method",
  "AWS::ApiGateway::Resource",
  "AWS::ApiGateway::RestApi",
  "AWS::ApiGateway::Stage",
  "AWS::CDK::Metadata",
  "AWS::CloudFront::Distribution",
  "AWS::CloudFront::Function",
  "AWS::Cognito::UserPool",
  "AWS::Cognito::UserPoolClient",
  "AWS::DynamoDB::Table",
  "AWS::IAM::Role",
  "AWS::Lambda::EventInvokeConfig",
  "AWS::Lambda::Function",
  "AWS::Lambda::Permission",
  "AWS::Lambda::Url",
  "AWS::Logs::LogGroup",
  // Its metric costs $0.30 in proportion to the hours in which API Gateway refuses requests.
  "AWS::Logs::MetricFilter",
  "AWS::S3::Bucket",
  "AWS::S3::BucketPolicy",
  "AWS::SNS::Subscription",
  "AWS::SNS::Topic",
  "AWS::SNS::TopicPolicy",
  "AWS::SQS::Queue",
  "AWS::SQS::QueuePolicy",
];
const PRICED = [
  "AWS::CloudWatch::Alarm",
  "AWS::CloudWatch::Dashboard",
  "AWS::Events::Rule",
  "AWS::KMS::Key",
  "AWS::Lambda::EventSourceMapping",
  "AWS::SecretsManager::Secret",
];

/** Computes the bill of an idle stack. Throws an error for a type of resource whose price is unknown. */
export function idleRows({ Resources }: PricedTemplate): IdleRow[] {
  const resources = Object.values(Resources);
  const unknown = new Set(resources.map(({ Type }) => Type).filter((type) => !FREE.includes(type) && !PRICED.includes(type)));
  if (unknown.size > 0) throw new Error(`bench/cost/idle.ts knows no price for ${[...unknown].join(", ")}.`);
  const of = (type: string) => resources.filter(({ Type }) => Type === type).map(({ Properties = {} }) => Properties);

  const keys = of("AWS::KMS::Key").length;
  const secrets = of("AWS::SecretsManager::Secret").length;
  const alarms = of("AWS::CloudWatch::Alarm");
  const metrics = alarms.reduce((sum, alarm) => sum + countMetrics(alarm), 0);
  const dashboards = of("AWS::CloudWatch::Dashboard").length;
  // Lambda reads the streams of tables without a charge.
  const pollers = of("AWS::Lambda::EventSourceMapping").filter(
    (mapping) => !JSON.stringify(mapping["EventSourceArn"]).includes("StreamArn"),
  );
  const polls = pollers.length * POLLS;
  const ticks = of("AWS::Events::Rule").filter(({ ScheduleExpression }) => ScheduleExpression !== undefined);
  const unforeseen = ticks.find(({ ScheduleExpression }) => ScheduleExpression !== "rate(1 minute)");
  if (unforeseen) throw new Error(`bench/cost/idle.ts knows no price for the schedule ${String(unforeseen["ScheduleExpression"])}.`);
  const invocations = ticks.length * MINUTES;
  // Every tenth tick, `connect` checks the queue of triggers.
  const lambda = invocations * 1.1 * (prices.lambdaRequest + tick.seconds * tick.gb * prices.lambdaGbSecond);
  const reads = invocations * tick.readUnits * prices.readUnit;
  const logs = ((invocations * tick.logBytes) / 1e9) * prices.logGb;

  const rows: IdleRow[] = [
    row(
      `${keys} KMS keys: the secrets (rotates each year; the first two rotations add $1 each), and the record of approvals`,
      keys * prices.kmsKey,
    ),
    row(
      `${secrets} ${secrets === 1 ? "secret" : "secrets"}: the one that signs job tokens, and those of settings`,
      secrets * prices.secret,
    ),
    row(
      `${alarms.length} alarms over ${metrics} metrics, $0.10 for each metric, of which ten are free`,
      metrics * prices.alarmMetric,
      Math.max(0, metrics - 10) * prices.alarmMetric,
    ),
    ...(dashboards > 0 ? [row("Dashboard", dashboards * prices.dashboard, Math.max(0, dashboards - 3) * prices.dashboard)] : []),
    row(
      `Lambda polling ${pollers.length} queues, about ${(polls / 1e6).toFixed(1)} million requests`,
      polls * prices.sqsRequest,
      Math.max(0, polls - 1e6) * prices.sqsRequest,
    ),
    row(
      `Housekeeping, ${invocations.toLocaleString("en")} times: Lambda, and ${tick.readUnits} reads of DynamoDB in each idle tick`,
      lambda + reads,
      reads,
    ),
    row("Logs of housekeeping", logs, 0),
    row("API Gateway, CloudFront, tables, bucket, Cognito, EventBridge, SNS", 0),
  ];
  return [...rows, { label: "**total**", dollars: sum(rows, "dollars"), withAllowances: sum(rows, "withAllowances") }];
}

/** CloudWatch charges each metric of an alarm, also each one of a metric math expression. */
function countMetrics(alarm: Record<string, unknown>): number {
  const metrics = alarm["Metrics"] as { MetricStat?: unknown; Expression?: string }[] | undefined;
  if (metrics?.some(({ Expression = "" }) => /^\s*SELECT/i.test(Expression)))
    throw new Error(
      "bench/cost/idle.ts knows no price for a query of Metrics Insights, which CloudWatch charges for each metric that it reads.",
    );
  return metrics ? metrics.filter(({ MetricStat }) => MetricStat).length : 1;
}

const row = (label: string, dollars: number, withAllowances = dollars): IdleRow => ({ label, dollars, withAllowances });
const sum = (rows: readonly IdleRow[], field: "dollars" | "withAllowances") => rows.reduce((total, each) => total + each[field], 0);
