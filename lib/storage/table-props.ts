import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, TableEncryption, type TableProps } from "aws-cdk-lib/aws-dynamodb";
import { retainsData, type StackConfig } from "../config.ts";

/** The properties that both tables share: string keys, payment per request, expiry by `ttl`, and protection of retained data. */
export const tableProps = (config: StackConfig): TableProps => ({
  partitionKey: { name: "pk", type: AttributeType.STRING },
  sortKey: { name: "sk", type: AttributeType.STRING },
  billingMode: BillingMode.PAY_PER_REQUEST,
  timeToLiveAttribute: "ttl",
  // DynamoDB's own key, because a customer-managed KMS key would cost calls and adds no separation here.
  encryption: TableEncryption.DEFAULT,
  removalPolicy: retainsData(config) ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  deletionProtection: retainsData(config),
});
