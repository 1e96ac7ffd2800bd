import { Stack, Validations } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { IConstruct } from "constructs";

/** Records why a cdk-nag rule does not apply. Call it next to the construct that it concerns, so that both change together. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}

/** Records why a right of a function covers all resources that an ARN with `*` matches. */
export function acknowledgeWildcard(fn: LambdaFunction, arn: string, reason: string): void {
  if (fn.role) acknowledge(fn.role, `AwsSolutions-IAM5[Resource::${describe(Stack.of(fn).resolve(arn))}]`, reason);
}

type Resolved =
  | string
  | { Ref: string }
  | { "Fn::GetAtt": [string, string] }
  | { "Fn::Sub": string }
  | { "Fn::Join": [string, Resolved[]] };

/** Returns an ARN in the form of cdk-nag, with names in place of CDK tokens. */
function describe(arn: Resolved): string {
  if (typeof arn === "string") return arn;
  if ("Ref" in arn) return `<${arn.Ref}>`;
  if ("Fn::GetAtt" in arn) return `<${arn["Fn::GetAtt"].join(".")}>`;
  if ("Fn::Sub" in arn) return arn["Fn::Sub"].replace(/\$\{([\w:]+)\}/g, "<$1>");
  const [separator, parts] = arn["Fn::Join"];
  return parts.map(describe).join(separator);
}
