import { Size } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type Function as LambdaFunction, TenancyConfig } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import { type RunnerLanguage, runnerLanguages } from "../../contract/languages.ts";
import type { StackConfig } from "../config.ts";
import type { Bundle } from "./bundles/bundle.ts";
import { bundleOf } from "./bundles/bundle-of.ts";
import { interpreterEnvironment } from "./bundles/interpreters.ts";
import { ServiceFunction } from "./service-function.ts";

/**
 * One function per language, for untrusted code. The code can read its whole environment, so the environment contains no secret: the role has
 * no right, and each tenant (a workspace and, by default, an identity in it) has its own execution environments. Every invocation must therefore name
 * a tenant.
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
      // 1769 MB correspond to one vCPU. With less, start-up slows down by more than the memory saves; with more, a single script gains nothing.
      memoryMb: config.runnerMemoryMb,
      // A script may take 840 s (contract/limits.ts); the rest is for downloading its code and storing its result.
      timeoutS: 900,
      // The local engine ignores this setting: a developer's own code needs no isolation between tenants.
      ...(config.local ? {} : { tenancyConfig: TenancyConfig.PER_TENANT }),
      // Room for an unpacked artefact of 200 MB and the job's files.
      scratch: Size.gibibytes(config.local ? 0.5 : 2),
    });
    for (const [name, value] of interpreterEnvironment(config)) fn.addEnvironment(name, value);
    return fn;
  }

  /** Grants an executor the right to invoke every runner, and sets their names by language in its environment. */
  allowInvoke(fn: LambdaFunction): void {
    const runners = [...this.functions];
    fn.addToRolePolicy(
      new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: runners.map(([, runner]) => runner.functionArn) }),
    );
    fn.addEnvironment(env.runnerFunctions, this.names());
    if (!this.config.local) fn.addEnvironment(env.tenancy, this.config.tenancy);
  }

  names(): string {
    // Not JSON.stringify: a name is a CDK token until it is deployed, and a token must remain unchanged.
    return `{${[...this.functions].map(([language, runner]) => `"${language}":"${runner.functionName}"`).join(",")}}`;
  }
}
