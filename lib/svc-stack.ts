import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Bundle } from "./compute/bundles/bundle.ts";
import type { StackConfig } from "./config.ts";
import { protectsData } from "./storage/retention.ts";
import { Svc } from "./svc.ts";

export interface SvcStackProps extends StackProps {
  readonly config: StackConfig;
  readonly bundles: readonly Bundle[];
}

/** The service as a stack. `npm run up` and docs/aws.md deploy it; apps of users put `Svc` into their stacks. */
export class SvcStack extends Stack {
  constructor(scope: Construct, id: string, { config, bundles, ...props }: SvcStackProps) {
    super(scope, id, {
      stackName: config.stackName,
      terminationProtection: protectsData(config),
      description: "svc: workflow automation that scales to zero",
      ...props,
    });
    const { skipInterpreters, stackName, ...settings } = config;
    // Ids of resources do not contain `Default`.
    const svc = new Svc(this, "Default", { ...settings, name: stackName, bundles });
    for (const [name, value] of Object.entries(svc.outputs)) new CfnOutput(this, name, { value });
  }
}
