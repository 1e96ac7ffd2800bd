import { Duration } from "aws-cdk-lib";
import { AttributeType, ProjectionType, StreamViewType, Table } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { FilterCriteria, FilterRule, type Function as LambdaFunction, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { SqsDestination } from "aws-cdk-lib/aws-lambda-destinations";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import type { Retention } from "../../contract/retention.ts";
import { jobFields, type TableIndex, tableIndexes } from "../../core/jobs/record/fields.ts";
import { queueProps } from "../compute/queue-props.ts";
import type { StackConfig } from "../config.ts";
import { acknowledge, acknowledgeWildcard } from "../observability/nag.ts";
import { identifyTable, tableProps } from "./table-props.ts";
import { grantStreamRead } from "./table-stream.ts";

const indexes = Object.entries<TableIndex>(tableIndexes);
export const INDEXES = indexes.map(([name]) => name);

/**
 * An attribute that the entries of an index were meant to contain. No item has it, so it costs nothing, and CloudFormation could remove it only with
 * the index (docs/decisions/0153-the-fields-of-a-job-are-listed-once.md).
 */
const unusedAttributes: Readonly<Record<string, readonly string[]>> = { due: ["state"] };

const keyTypes = { string: AttributeType.STRING, number: AttributeType.NUMBER };
const toKey = ({ name, type }: TableIndex["sortKey"]) => ({ name, type: keyTypes[type] });

/**
 * One head item per job and its child items. Indexes contain only immutable attributes and due times, because each change of an indexed attribute
 * costs another write.
 */
export class JobsTable extends Construct {
  readonly table: Table;
  /** The positions of stream records whose jobs could not be removed within a day. */
  readonly unremoved: Queue;

  constructor(scope: Construct, id: string, config: StackConfig) {
    super(scope, id);
    const { id: tableId, ...name } = identifyTable(config.restored.jobsTable);
    // Only the function that removes the data of expired jobs reads the stream.
    this.table = new Table(this, tableId, { ...tableProps(config), ...name, stream: StreamViewType.OLD_IMAGE });
    // An update of a stack can add or remove only one index.
    for (const [indexName, { partitionKey, sortKey, fields }] of indexes) {
      this.table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: toKey(partitionKey),
        sortKey: toKey(sortKey),
        ...(fields
          ? {
              projectionType: ProjectionType.INCLUDE,
              nonKeyAttributes: [...fields.map((field) => jobFields[field].stored), ...(unusedAttributes[indexName] ?? [])],
            }
          : { projectionType: ProjectionType.KEYS_ONLY }),
      });
    }
    this.unremoved = new Queue(this, "Unremoved", queueProps);
    acknowledge(
      this.unremoved,
      "AwsSolutions-SQS3",
      "It has no consumer: the age of the records of the stream raised an alarm 20 hours before.",
    );
  }

  /** Grants access for a runner's beat: the items of one job by key, including the secrets to mask. */
  allowBeat(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem", "Query", "PutItem", "UpdateItem", "BatchWriteItem"]);
  }

  /** Grants writes of delivery results and of messages in chats, which are stored with the jobs of the notices, and the list of these messages. */
  allowDeliveryResults(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem", "BatchGetItem", "Query", "PutItem"]);
  }

  /** Grants the rights to create jobs and change their states. */
  allowMoveJobs(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"]);
  }

  /** Grants the creation and the removal of queued jobs, and the search of the newest jobs of a script or flow. */
  allowScheduleJobs(fn: LambdaFunction): void {
    this.allow(fn, ["GetItem", "BatchGetItem", "PutItem", "DeleteItem"]);
    fn.addToRolePolicy(new PolicyStatement({ actions: ["dynamodb:Query"], resources: [`${this.table.tableArn}/index/path`] }));
  }

  /** Grants transactions that write other items only while a flow is in a given state: pre-approvals. */
  allowCheckJobs(fn: LambdaFunction): void {
    this.allow(fn, ["ConditionCheckItem"]);
  }

  /** Grants the rights of `allowMoveJobs` and queries of the indexes. */
  allowFindJobs(fn: LambdaFunction): void {
    this.allowMoveJobs(fn);
    this.allowCountJobs(fn);
  }

  /** Delivers the records of `long` jobs that DynamoDB has removed because they expired, and grants the removal of what belongs to them. */
  allowRemoveExpired(fn: LambdaFunction, { local }: StackConfig): void {
    this.allow(fn, ["GetItem", "Query", "UpdateItem", "DeleteItem"]);
    fn.addToRolePolicy(new PolicyStatement({ actions: ["dynamodb:Query"], resources: [`${this.table.tableArn}/index/parent`] }));
    fn.addEventSourceMapping("Expired", {
      eventSourceArn: grantStreamRead(this.table, fn),
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual("REMOVE"),
          userIdentity: { type: FilterRule.isEqual("Service"), principalId: FilterRule.isEqual("dynamodb.amazonaws.com") },
          dynamodb: {
            Keys: { sk: { S: FilterRule.isEqual("job") } },
            OldImage: { [jobFields.retention.stored]: { S: FilterRule.isEqual("long" satisfies Retention) } },
          },
        }),
      ],
      // The local engine does not support partial batch responses, so each batch has one item.
      batchSize: local ? 1 : 25,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // The stream holds a record for a day. That is longer than an outage of another service, and than the removal of a large flow in
      // parts.
      retryAttempts: 10_000,
      maxRecordAge: Duration.hours(20),
      onFailure: new SqsDestination(this.unremoved),
    });
  }

  allowCountJobs(fn: LambdaFunction): void {
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ["dynamodb:Query"], resources: INDEXES.map((index) => `${this.table.tableArn}/index/${index}`) }),
    );
  }

  /** Grants queries of every index by one pattern, for a role that has no space for their names. */
  allowQueryIndexes(fn: LambdaFunction): void {
    const all = `${this.table.tableArn}/index/*`;
    fn.addToRolePolicy(new PolicyStatement({ actions: ["dynamodb:Query"], resources: [all] }));
    acknowledgeWildcard(fn, all, "The pattern covers the indexes of this one table, each of which a list may use.");
  }

  private allow(fn: LambdaFunction, actions: string[]): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [this.table.tableArn] }));
    fn.addEnvironment(env.jobsTable, this.table.tableName);
  }
}
