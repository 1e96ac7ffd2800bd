import { Lazy } from "aws-cdk-lib";
import {
  type AddToPrincipalPolicyResult,
  type CfnRole,
  PolicyDocument,
  type PolicyStatement,
  Role,
  type RoleProps,
} from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";

/**
 * A role with inline rights. CDK's `Role` puts them into a second resource, which counts towards CloudFormation's limit of 500 (decision
 * 137).
 */
export class InlineRole extends Role {
  private readonly rights = new PolicyDocument();

  constructor(scope: Construct, id: string, props: Omit<RoleProps, "inlinePolicies">) {
    super(scope, id, props);
    const policies = () => (this.rights.isEmpty ? [] : [{ policyName: "rights", policyDocument: this.rights }]);
    (this.node.defaultChild as CfnRole).policies = Lazy.any({ produce: policies }, { omitEmptyArray: true });
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.rights.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
