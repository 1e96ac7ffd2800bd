import { Stack } from "aws-cdk-lib";
import type { CfnTable, Table } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { acknowledge } from "../observability/nag.ts";

/** Grants a function the reads that its event source makes of a table's stream, and returns the ARN of the stream. */
export function grantStreamRead(table: Table, fn: LambdaFunction): string {
  const stream = table.tableStreamArn;
  if (!stream || !fn.role) throw new Error("The table has no stream.");
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ["DescribeStream", "GetRecords", "GetShardIterator"].map((action) => `dynamodb:${action}`),
      resources: [stream],
    }),
  );
  fn.addToRolePolicy(new PolicyStatement({ actions: ["dynamodb:ListStreams"], resources: [`${table.tableArn}/stream/*`] }));
  const tableId = Stack.of(table).getLogicalId(table.node.defaultChild as CfnTable);
  acknowledge(
    fn.role,
    `AwsSolutions-IAM5[Resource::<${tableId}.Arn>/stream/*]`,
    "The permission to list streams covers the streams of this one table and cannot name a stream.",
  );
  return stream;
}
