import { App } from "aws-cdk-lib";

/**
 * Creates a CDK app for tests. CDK's own check of the templates takes longer than the synthesis and only prints warnings unless it is made
 * strict, as by the synthesis of `npm run verify`.
 */
export const anApp = () => new App({ builtinCloudFormationValidation: false });
