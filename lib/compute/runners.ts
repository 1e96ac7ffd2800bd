import { Size } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type Function as LambdaFunction, TenancyConfig } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import { type RunnerLanguage, runnerLanguages } from "../../contract/languages.ts";
import type { StackConfig } from "../config.ts";
import { type Bundle, bundleOf } from "./bundle.ts";
import { interpreterEnvironment } from "./interpreters.ts";
import { ServiceFunction } from "./service-function.ts";

/**
 * One function per language, for code that nobody here trusts. It can read all that its environment holds, so the environment holds nothing:
 * the role writes its own log group and that is all, and each tenant (workspace and identity) has environments of its own. An invocation
 * therefore names a tenant, always.
 */
export class Runners extends Construct {
  readonly functions: ReadonlyMap<RunnerLanguage, LambdaFunction>;

  private readonly config: StackConfig;

  constructor(scope: Construct, id: string, config: StackConfig, bundles: readonly Bundle[]) {
    super(scope, id);
    this.config = config;
    this.functions = new Map(
      runnerLanguages.map((language) => [language, this.runner(config, language, bundleOf(bundles, "runners", language))]),
    );
  }

  private runner(config: StackConfig, language: RunnerLanguage, bundle: Bundle): LambdaFunction {
    const { fn } = new ServiceFunction(this, language, {
      config,
      bundle,
      description: `svc: runs ${language} scripts, without permissions`,
      // 1769 MB is one whole vCPU. Below it start-up and interpreters slow down by more than the memory saves; above it one script gains nothing.
      memoryMb: config.runnerMemoryMb,
      // A script may take 840 s (contract/limits.ts); the rest is for fetching its code and storing its result.
      timeoutS: 900,
      // The local engine accepts it and does nothing; the developer's own code needs no walls.
      ...(config.local ? {} : { tenancyConfig: TenancyConfig.PER_TENANT }),
      // An artefact of 200 MB, unpacked, and the job's own files.
      scratch: Size.gibibytes(config.local ? 0.5 : 2),
    });
    for (const [name, value] of interpreterEnvironment(config)) fn.addEnvironment(name, value);
    return fn;
  }

  /** For executors: the right to invoke every runner, and their names by language. */
  configureInvoke(fn: LambdaFunction): void {
    const runners = [...this.functions];
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: runners.map(([, runner]) => runner.functionArn) }),
    );
    fn.addEnvironment(env.runnerFunctions, this.names());
    if (!this.config.local) fn.addEnvironment(env.tenancy, "on");
  }

  names(): string {
    // Not JSON.stringify: a name is only known when it is deployed, and a token must stay one piece.
    return `{${[...this.functions].map(([language, runner]) => `"${language}":"${runner.functionName}"`).join(",")}}`;
  }
}
