import { AttributeType, BillingMode, TableEncryption, type TableProps } from "aws-cdk-lib/aws-dynamodb";
import type { StackConfig } from "../config.ts";
import { dataRemovalPolicy, protectsData } from "./retention.ts";

/** The properties that both tables share: string keys, payment per request, expiry by `ttl`, point-in-time recovery, and protection of retained data. */
export const tableProps = (config: StackConfig): TableProps => ({
  partitionKey: { name: "pk", type: AttributeType.STRING },
  sortKey: { name: "sk", type: AttributeType.STRING },
  billingMode: BillingMode.PAY_PER_REQUEST,
  timeToLiveAttribute: "ttl",
  // DynamoDB's own key, because a customer-managed KMS key would cost calls and adds no separation here.
  encryption: TableEncryption.DEFAULT,
  removalPolicy: dataRemovalPolicy(config),
  deletionProtection: protectsData(config),
  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
});

/**
 * Returns the id of a table's construct and its name. A restored table is another resource than the one that the stack created, so it has
 * another id: the deployment then imports it and retains the previous one.
 */
export function identifyTable(restored: string | undefined): { id: string; tableName?: string } {
  return restored === undefined ? { id: "Table" } : { id: `Restored-${restored}`, tableName: restored };
}
