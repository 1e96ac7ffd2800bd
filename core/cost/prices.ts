/** List prices in dollars, for `npm run bench` and for estimates of runs. Free tiers are left out. */
export const prices = {
  region: "us-east-1",
  asOf: "2026-11",
  restApiRequest: 3.5e-6,
  lambdaRequest: 0.2e-6,
  /** A GB for a second on arm64. */
  lambdaGbSecond: 0.0000133334,
  /** DynamoDB on demand. */
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  sqsRequest: 0.4e-6,
  s3Put: 5e-6,
  s3Get: 0.4e-6,
  snsPublish: 0.5e-6,
  /** Step Functions, standard workflows. */
  stateTransition: 25e-6,
  /** CloudWatch, standard class. */
  logGb: 0.5,
  /** A month. */
  alarmMetric: 0.1,
  dashboard: 3,
  kmsKey: 1,
  secret: 0.4,
} as const;

/** The assumed duration of each function on AWS for one job in milliseconds, because the local engine's times differ. */
export const assumedMs = {
  /** The script itself, according to the design. */
  script: 50,
  /** The runner around it. */
  runner: 5,
  /** Accepting: one read, one write, one message, at 5 ms each. */
  accept: 15,
  /** The duration of an executor besides the runner's call: two writes and the log at 5 ms each. */
  execute: 15,
} as const;
