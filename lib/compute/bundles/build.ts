import { Size } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type Function as LambdaFunction, TenancyConfig } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { memoryMb } from "../../../contract/deployment/memory.ts";
import { env } from "../../../contract/env.ts";
import type { StackConfig } from "../../config.ts";
import { ServiceFunction } from "../service-function.ts";
import type { Bundle } from "./bundle.ts";
import { esbuildEnvironment, interpreterEnvironment } from "./interpreters.ts";

/**
 * The function that resolves dependencies and builds artefacts from untrusted sources. Its role has no right; each call gets one presigned upload.
 * Each workspace has its own execution environments, so every invocation must name the workspace as its tenant.
 */
export class Build extends Construct {
  readonly fn: LambdaFunction;
  private readonly config: StackConfig;

  constructor(scope: Construct, id: string, config: StackConfig, bundle: Bundle) {
    super(scope, id);
    this.config = config;
    // Lambda cannot change the isolation of an existing function. Releases without it named the function "Build", so an update replaces that one.
    this.fn = new ServiceFunction(this, "Builder", {
      config,
      bundle,
      description: "svc: resolves dependencies and builds artefacts, without permissions",
      // Go's compiler needs this memory; npm and uv are faster with its two vCPUs.
      memoryMb: memoryMb.builder,
      // The builder stops its tools after 280 s and reports it.
      timeoutS: 300,
      // The local engine ignores this setting.
      ...(config.local ? {} : { tenancyConfig: TenancyConfig.PER_TENANT }),
      // Room for the Go toolchain with its cache (1.5 GB) and a dependency tree.
      scratch: Size.gibibytes(config.local ? 0.5 : 6),
    }).fn;
    for (const [name, value] of [...interpreterEnvironment(config), ...esbuildEnvironment(config)]) this.fn.addEnvironment(name, value);
  }

  allowInvoke(fn: LambdaFunction): void {
    fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [this.fn.functionArn] }));
    fn.addEnvironment(env.buildFunction, this.fn.functionName);
    if (!this.config.local) fn.addEnvironment(env.tenancy, this.config.tenancy);
  }
}
