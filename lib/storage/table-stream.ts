import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { acknowledgeWildcard } from "../observability/nag.ts";

/** Grants a function the reads that its event source makes of a table's stream, and returns the ARN of the stream. */
export function grantStreamRead(table: Table, fn: LambdaFunction): string {
  const stream = table.tableStreamArn;
  if (!stream) throw new Error("The table has no stream.");
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ["DescribeStream", "GetRecords", "GetShardIterator"].map((action) => `dynamodb:${action}`),
      resources: [stream],
    }),
  );
  const streams = `${table.tableArn}/stream/*`;
  fn.addToRolePolicy(new PolicyStatement({ actions: ["dynamodb:ListStreams"], resources: [streams] }));
  acknowledgeWildcard(fn, streams, "The permission to list streams covers the streams of this one table and cannot name a stream.");
  return stream;
}
