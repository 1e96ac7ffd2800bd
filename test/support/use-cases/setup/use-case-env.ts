import { inject } from "vitest";
import { env } from "../../../../contract/env.ts";
import { engineCredentials } from "../../../../engine/engine/child-env.ts";

/** The environment that the adapters of `aws/` read, set before a test file loads them. Tables and queues are named by each world. */
const { endpoint, bucket, secretsKey, anchorKey, signingSecret } = inject("useCases");
Object.assign(process.env, engineCredentials, {
  AWS_ENDPOINT_URL: endpoint,
  [env.bucket]: bucket,
  [env.secretsKey]: secretsKey,
  [env.anchorKey]: anchorKey,
  [env.signingSecret]: signingSecret,
  // Handlers log each request, and metrics.
  POWERTOOLS_LOG_LEVEL: "ERROR",
  POWERTOOLS_METRICS_DISABLED: "true",
  // Servers of the tests, in place of other services. The guard of connections reads the ranges when it is loaded.
  [env.egressAllow]: "127.0.0.0/8",
  [env.statesArn]: "arn:aws:states:us-east-1:000000000000",
});
