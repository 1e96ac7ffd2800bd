import { Fn, Stack } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { EDGE_KEY_HEADER, env, ROUTES_KEY_HEADER } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";
import { acknowledge } from "../observability/nag.ts";

/**
 * The keys with which CloudFront shows that a request came through it. The functions refuse all other requests, because API Gateway's own address
 * bypasses a web ACL. CloudFormation resolves the keys: neither the template nor its outputs contain them. The key `stack` is the UUID of the stack's id:
 * it costs nothing, and people who see the log of a deployment know it. Other keys are secrets. A template can have 60 references to secrets.
 */
export class EdgeKeys extends Construct {
  /** CloudFront sends the first key. All of them are accepted, so that a rotation refuses no request. */
  private readonly keys: readonly string[];

  constructor(scope: Construct, id: string, { edgeKeys }: Pick<StackConfig, "edgeKeys">) {
    super(scope, id);
    this.keys = edgeKeys.map((name) => {
      if (name === STACK_KEY) return Fn.select(2, Fn.split("/", Stack.of(this).stackId));
      const secret = new Secret(this, `Key-${name}`, {
        description: "svc: key with which CloudFront calls the API",
        generateSecretString: { passwordLength: 48, excludePunctuation: true },
      });
      acknowledge(secret, "AwsSolutions-SMG4", "Rotation is a change of the setting edgeKeys, docs/aws.md.");
      return secret.secretValue.unsafeUnwrap();
    });
  }

  /**
   * Returns the headers that CloudFront adds, in place of those that a caller sends. The headers of the domain of routes show that a
   * request came through it.
   */
  headers({ ofRoutes }: { ofRoutes: boolean }): Record<string, string> {
    const [currentKey = ""] = this.keys;
    return { [EDGE_KEY_HEADER]: currentKey, ...(ofRoutes ? { [ROUTES_KEY_HEADER]: `${currentKey}${ROUTES_SUFFIX}` } : {}) };
  }

  /** Lets functions refuse requests that did not come through CloudFront. */
  provideKeys(functions: Iterable<LambdaFunction>): void {
    for (const fn of functions) fn.addEnvironment(env.edgeKeys, this.keys.join(","));
  }

  /** Lets the function of routes recognise requests that came through their domain. */
  provideRoutesKey(fn: LambdaFunction): void {
    fn.addEnvironment(env.routesKey, this.keys.map((key) => `${key}${ROUTES_SUFFIX}`).join(","));
  }
}
const ROUTES_SUFFIX = "-routes";
const STACK_KEY = "stack";
