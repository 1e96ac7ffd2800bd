import { RemovalPolicy } from "aws-cdk-lib";
import { retainsData, type StackConfig } from "../config.ts";

/**
 * Returns the policy for resources with data. They outlive their stack and every update, except for the deployment that creates them: if the
 * first deployment fails, CloudFormation removes them with everything else, so that nothing remains that costs money.
 */
export function dataRemovalPolicy(config: StackConfig): RemovalPolicy {
  return retainsData(config) ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}

/**
 * Returns whether resources with data refuse to be deleted. The first deployment must not have this setting: CloudFormation could not remove the
 * protected resources if it failed, nor CDK the failed stack before the next attempt.
 */
export function protectsData(config: StackConfig): boolean {
  return retainsData(config) && config.deletionProtection;
}
