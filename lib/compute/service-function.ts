import { Duration, RemovalPolicy, type Size } from "aws-cdk-lib";
import { Effect, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  type TenancyConfig,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { defined } from "../../contract/defined.ts";
import type { StackConfig } from "../config.ts";
import { acknowledge } from "../observability/nag.ts";
import type { Bundle } from "./bundles/bundle.ts";
import { InlineRole } from "./rights/inline-role.ts";

export interface ServiceFunctionProps {
  readonly config: StackConfig;
  readonly bundle: Bundle;
  readonly functionName?: string;
  readonly description: string;
  readonly memoryMb: number;
  readonly timeoutS: number;
  readonly reservedConcurrency?: number;
  /** Whether its own messages may invoke it more than 16 times in a row. By default Lambda stops such a chain. */
  readonly mayLoop?: boolean;
  readonly tenancyConfig?: TenancyConfig;
  /** Size of `/tmp`; 512 MB by default. */
  readonly scratch?: Size;
}

/**
 * Returns whether a function executes code of users, or compiles it. Its role has no right: with the right to write logs, that code could forge lines
 * and metrics.
 */
const handlesUserCode = ({ kind, name }: Bundle) => kind === "runners" || name === "build";

/**
 * Functions whose role an update replaces. Earlier releases had the rights in a second resource, which CloudFormation deletes only after it
 * has added the inline rights: for these functions both together exceed the 10,240 characters that IAM allows.
 */
const REPLACED_ROLES: ReadonlySet<string> = new Set(["housekeeping"]);

/** Returns whether a function may write traces. The pages have no rights. */
const mayTrace = (bundle: Bundle) => !handlesUserCode(bundle) && bundle.name !== "web";

/**
 * One deployed function with its own role. The role begins with exactly one right, to write its own log group, because CDK's default role can
 * write every log group of the account. The role of a function that executes or compiles code of users has no right at all: Lambda drops the function's
 * logs, and its callers log what operators need. Other constructs add rights, each together with its environment variables.
 */
export class ServiceFunction extends Construct {
  readonly fn: LambdaFunction;
  /** The name of its folder; `runner-<language>` for a runner. */
  readonly name: string;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { config, bundle } = props;
    this.name = bundle.kind === "runners" ? `runner-${bundle.name}` : bundle.name;
    const traced = !config.local && mayTrace(bundle);
    const role = new InlineRole(this, REPLACED_ROLES.has(bundle.name) ? "ExecutionRole" : "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    });
    const isUntrusted = handlesUserCode(bundle);
    // The local engine writes logs without asking the role.
    const logGroup =
      config.local || !isUntrusted
        ? new LogGroup(this, "Logs", { retention: config.logRetentionDays, removalPolicy: RemovalPolicy.DESTROY })
        : undefined;
    if (logGroup && !isUntrusted)
      role.addToPolicy(
        new PolicyStatement({
          effect: Effect.ALLOW,
          actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
          // The attribute ends in `:*`, which matches the streams of this log group.
          resources: [logGroup.logGroupArn],
        }),
      );
    this.fn = new LambdaFunction(this, "Fn", {
      ...(props.functionName ? { functionName: props.functionName } : {}),
      description: props.description,
      runtime: bundle.runtime === "python" ? Runtime.PYTHON_3_14 : Runtime.NODEJS_24_X,
      handler: bundle.runtime === "python" ? "handler.handler" : "index.handler",
      code: Code.fromAsset(bundle.directory),
      architecture: config.arch === "arm64" ? Architecture.ARM_64 : Architecture.X86_64,
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutS),
      role,
      ...defined({ logGroup }),
      // The JSON format makes it possible to omit START, END and REPORT, which are longer than svc's own line: log ingestion is a large part of a job's price.
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
      // The local engine does not emulate X-Ray.
      tracing: traced ? Tracing.ACTIVE : Tracing.DISABLED,
      ...(props.reservedConcurrency ? { reservedConcurrentExecutions: props.reservedConcurrency } : {}),
      ...(props.mayLoop ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      ...defined({ tenancyConfig: props.tenancyConfig, ephemeralStorageSize: props.scratch }),
    });
    if (traced) acknowledge(role, "AwsSolutions-IAM5[Resource::*]", "X-Ray takes traces of the whole account: it has no resource to name.");
    acknowledge(
      this.fn,
      "AwsSolutions-L1",
      "The runtime is pinned, because artefacts are built for it and their keys contain its version.",
    );
  }
}
