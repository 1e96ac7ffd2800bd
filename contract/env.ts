/** Names of the environment variables that connect `lib/` (which sets them) with `functions/` (which read them). */
export const env = {
  jobsTable: "SVC_JOBS_TABLE",
  objectsTable: "SVC_OBJECTS_TABLE",
  bucket: "SVC_BUCKET",
  queueUrl: "SVC_QUEUE_URL",
  /** The queue of jobs with a priority. */
  highQueueUrl: "SVC_HIGH_QUEUE_URL",
  /** The queue to which topics, rules and the mail topic send the messages of triggers, and the dead-letter queue of triggers. */
  triggerQueueArn: "SVC_TRIGGER_QUEUE_ARN",
  triggerConcurrency: "SVC_TRIGGER_CONCURRENCY",
  triggerDeadLetterUrl: "SVC_TRIGGER_DEAD_LETTER_URL",
  /** ARN of the function that receives the messages of triggers. */
  receiveFunctionArn: "SVC_RECEIVE_FUNCTION_ARN",
  /** The function that refreshes the tokens of accounts. */
  objectsFunction: "SVC_OBJECTS_FUNCTION",
  approveFunction: "SVC_APPROVE_FUNCTION",
  deliverFunction: "SVC_DELIVER_FUNCTION",
  /** The function that makes event source mappings, rules and subscriptions. */
  connectFunction: "SVC_CONNECT_FUNCTION",
  /** The domain of mail triggers, absent if the deployment receives no mail, and the topic on which SES reports a mail. */
  mailDomain: "SVC_MAIL_DOMAIN",
  mailTopic: "SVC_MAIL_TOPIC",
  signingSecret: "SVC_SIGNING_SECRET",
  /** The KMS key that wraps data keys. */
  secretsKey: "SVC_SECRETS_KEY",
  /** The KMS key that signs the record of approvals. */
  anchorKey: "SVC_ANCHOR_KEY",
  userPool: "SVC_USER_POOL_ID",
  userPoolClient: "SVC_USER_POOL_CLIENT_ID",
  /** JSON list of federated logins (aws/cognito/logins.ts). */
  logins: "SVC_LOGINS",
  /** Headers that every run receives as arguments, separated by commas (spec §4.2). */
  includeHeaders: "INCLUDE_HEADERS",
  /** The URL that receives the events of the instance, if no setting names another one. */
  instanceEvents: "INSTANCE_EVENTS_WEBHOOK",
  /** CIDR ranges inside the network that users' endpoints may have, separated by commas (aws/http/addresses.ts). */
  egressAllow: "SVC_EGRESS_ALLOW",
  /** The memory of the runners in MB, for estimates of the cost of runs. */
  runnerMemory: "SVC_RUNNER_MEMORY_MB",
  /** The public origin without a trailing slash, for URLs in responses. */
  baseUrl: "SVC_BASE_URL",
  /** The address at which browsers upload files to the bucket, absent without CloudFront (contract/deployment/edge-function.ts). */
  uploadsUrl: "SVC_UPLOADS_URL",
  /** The form in which log lines contain the addresses of clients (contract/deployment/client-addresses.ts), and the key of their hashes. */
  clientAddresses: "SVC_CLIENT_ADDRESSES",
  clientAddressKey: "SVC_CLIENT_ADDRESS_KEY",
  /** The keys that the header `EDGE_KEY_HEADER` of requests from this stack's CloudFront distribution can have, separated by commas. */
  edgeKeys: "SVC_EDGE_KEYS",
  /** `on` if callers call API Gateway itself (AWS without CloudFront). */
  callsGateway: "SVC_CALLS_GATEWAY",
  /** The keys of the header `ROUTES_KEY_HEADER`, separated by commas, and the origin of HTTP routes, if they have a separate domain. */
  routesKey: "SVC_ROUTES_KEY",
  routesUrl: "SVC_ROUTES_URL",
  /** The file in which the local engine reads which runs have ended, absent on AWS (functions/shared/reply/ended-run.ts). */
  endedRuns: "SVC_ENDED_RUNS",
  /** The origin at which runners reach the API. */
  internalUrl: "SVC_INTERNAL_URL",
  /** The origin at which runners reach function `beat`. */
  beatUrl: "SVC_BEAT_URL",
  workerFunction: "SVC_WORKER_FUNCTION",
  buildFunction: "SVC_BUILD_FUNCTION",
  /** The queues of deliveries (core/deliveries/message.ts). */
  deliveryQueueUrl: "SVC_DELIVERY_QUEUE_URL",
  slowDeliveryQueueUrl: "SVC_SLOW_DELIVERY_QUEUE_URL",
  /** ARN of the topic that receives the notices of all gates. */
  noticesTopic: "SVC_NOTICES_TOPIC",
  /** Sender of mails, absent if the deployment sends none, and the SES configuration set that reports bounces. */
  mailFrom: "SVC_MAIL_FROM",
  mailSet: "SVC_MAIL_SET",
  /** ARN of the function that executes the steps of flows. Every state machine contains it. */
  stepFunction: "SVC_STEP_FUNCTION",
  flowsFunction: "SVC_FLOWS_FUNCTION",
  /** `arn:<partition>:states:<region>:<account>`, the prefix of the ARNs of machines and executions. */
  statesArn: "SVC_STATES_ARN",
  /** `on` where Step Functions has a console (AWS). */
  statesConsole: "SVC_STATES_CONSOLE",
  /** The stack's name, with which its state machines are named and tagged, and its metrics and log lines are marked. */
  stack: "SVC_STACK",
  /** The role of state machines, which may call function `step`. */
  machineRole: "SVC_MACHINE_ROLE",
  /** JSON map of runner language to function name. */
  runnerFunctions: "SVC_RUNNER_FUNCTIONS",
  /** The tenant of a runner, `identity` or `workspace`, if the environments of runners and of `build` are isolated by tenant (AWS). */
  tenancy: "SVC_TENANCY",
  /** JSON `BuildTarget` (core/builds): the platform for which artefacts are built. */
  buildTarget: "SVC_BUILD_TARGET",
  /** JSON map `{npm, pypi, go}` of package registries. An empty string is the default of the tool. */
  registries: "SVC_REGISTRIES",
  /** The directory of a runner's artefacts and jobs. Default: `/tmp/svc`. */
  workDir: "SVC_WORK_DIR",
  /** The way to undo a job's writes to `/tmp`: `sweep` (AWS), `private` (a separate mount where the kernel allows it), `none`. */
  tmpMode: "SVC_TMP_MODE",
  bunPath: "SVC_BUN_PATH",
  nodePath: "SVC_NODE_PATH",
  esbuildPath: "SVC_ESBUILD_PATH",
  uvPath: "SVC_UV_PATH",
  goPath: "SVC_GO_PATH",
} as const;

/** The header in which CloudFront sends the stack's key, which shows that a request did not bypass it. */
export const EDGE_KEY_HEADER = "x-svc-edge-key";

/** The header in which CloudFront shows that a request came by the domain of HTTP routes. */
export const ROUTES_KEY_HEADER = "x-svc-routes-key";

/** Reads an environment variable of the stack. Throws an error if it is not set. */
export function requireEnv(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set: deploy the stack again.`);
  return value;
}
