import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { AttributeType, BillingMode, type CfnTable, StreamViewType, Table, TableEncryption } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { FilterCriteria, FilterRule, type Function as LambdaFunction, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import { retainsData, type StackConfig } from "../config.ts";
import { acknowledge } from "../observability/nag.ts";

/** Everything that people store: scripts, folders, tokens, workspaces, and the outbox that its stream carries away. */
export class ObjectsTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    this.table = new Table(this, "Table", {
      partitionKey: { name: "pk", type: AttributeType.STRING },
      sortKey: { name: "sk", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: "ttl",
      stream: StreamViewType.NEW_IMAGE,
      encryption: TableEncryption.DEFAULT,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: retainsData(config) ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      deletionProtection: retainsData(config),
    });
  }

  /** One item by key: the public key that tokens of jobs are checked with. */
  configureReadPublicKey(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem"]);
  }

  configureRead(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem", "BatchGetItem", "Query"]);
  }

  /** An executor publishes the public half of the key that signs job tokens, and may write nothing else. */
  configurePublishKey(fn: LambdaFunction): void {
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["dynamodb:PutItem"],
        resources: [this.table.tableArn],
        conditions: { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["KEYS"] } },
      }),
    );
  }

  /** Whoever takes tokens notes when each was used last; it changes no other item. */
  configureTouchTokens(fn: LambdaFunction): void {
    this.allowItems(fn, ["UpdateItem"], ["TOKEN#*", "USER#*"]);
  }

  /** Keys of idempotent calls, and nothing else. */
  configureIdempotency(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem", "DeleteItem"], ["IDEMPOTENCY#*"]);
  }

  /** Hears of every notice of an approval, and keeps what is still to be sent. */
  configureNotices(fn: LambdaFunction, config: StackConfig): void {
    this.configureRead(fn);
    this.allowItems(fn, ["PutItem", "DeleteItem"], ["RETRIES"]);
    this.allowItems(fn, ["PutItem"], ["WEBHOOKS#*"]);
    this.configureHear(fn, "NOTICE#", config);
  }

  /** Reads new items under such keys from the table's stream. A batch that fails is halved until the one that fails is alone, and that is given up in the end. */
  private configureHear(fn: LambdaFunction, prefix: string, { local }: StackConfig): void {
    const stream = this.table.tableStreamArn;
    if (!stream || !fn.role) throw new Error("The table has no stream.");
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["DescribeStream", "GetRecords", "GetShardIterator"].map((action) => `dynamodb:${action}`),
        resources: [stream],
      }),
    );
    fn.addToRolePolicy(new PolicyStatement({ actions: ["dynamodb:ListStreams"], resources: [`${this.table.tableArn}/stream/*`] }));
    const tableId = Stack.of(this).getLogicalId(this.table.node.defaultChild as CfnTable);
    acknowledge(
      fn.role,
      `AwsSolutions-IAM5[Resource::<${tableId}.Arn>/stream/*]`,
      "The permission to list streams covers the streams of this one table and cannot name a stream.",
    );
    fn.addEventSourceMapping("Notices", {
      eventSourceArn: stream,
      startingPosition: StartingPosition.LATEST,
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual("INSERT"),
          dynamodb: { Keys: { pk: { S: FilterRule.beginsWith(prefix) } } },
        }),
      ],
      // The local engine knows no answers in part: what fails there comes back alone.
      batchSize: local ? 1 : 25,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      retryAttempts: 20,
      maxRecordAge: Duration.hours(1),
    });
  }

  /** Pending gates, decisions, notices, and the keys that sign links. */
  configureApprove(fn: LambdaFunction): void {
    const partitions = ["PENDING#*", "CHAIN#*", "GREW#*", "NOTICE#*", "AGAIN#*", "LINKS#*", "WEBHOOKS#*", "AUDIT#*"];
    this.allowItems(fn, ["PutItem", "UpdateItem", "DeleteItem"], partitions);
  }

  /** Signed heads of the record of approvals. */
  configureAnchor(fn: LambdaFunction): void {
    this.allowItems(fn, ["PutItem"], ["ANCHOR#*"]);
  }

  private allowItems(fn: LambdaFunction, actions: string[], partitions: string[]): void {
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.table.tableArn],
        conditions: { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": partitions } },
      }),
    );
  }

  /** Transactions need no action of their own: each part is checked as the single call it stands for. */
  configureWrite(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem"]);
  }

  /** The sweep: finds what has expired, or belonged to a deleted workspace, and deletes it; how far it is stands in the table as well. */
  configureSweep(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem", "Query", "Scan", "DeleteItem", "BatchWriteItem"]);
    this.allowItems(fn, ["PutItem"], ["DELETED"]);
  }

  private allow(fn: LambdaFunction, actions: string[]): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [this.table.tableArn] }));
    fn.addEnvironment(env.objectsTable, this.table.tableName);
  }
}
