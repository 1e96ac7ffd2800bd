import { App } from "aws-cdk-lib";

/**
 * Creates a CDK app for tests. CDK's own check of the templates takes longer than the synthesis and only prints warnings unless it is made
 * strict, as by the synthesis of `npm run verify`. Each grant remains a statement, which `@aws-cdk/aws-iam:minimizePolicies` would merge with others.
 */
export const anApp = (context: Record<string, unknown> = { "@aws-cdk/aws-iam:minimizePolicies": false }) =>
  new App({ builtinCloudFormationValidation: false, context });
