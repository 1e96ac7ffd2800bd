/** An assumption that only AWS can prove. The page docs/aws.md lists all of them. */
export interface Assumption {
  id: string;
  title: string;
  /** The statement that must be true. */
  holds: string;
  /**
   * The check that shows it: a separate check in `npm run smoke -- --first-hour`, the scripts in all languages with which that command begins, or a
   * person.
   */
  by: "command" | "languages" | "person";
  /** For a person: the steps or commands, and the expected outcome. */
  check?: string;
  /** The remedy if it is not true. */
  otherwise: string;
}

/** The assumptions in the order of their checks. */
export const assumptions: readonly Assumption[] = [
  {
    id: "builds",
    title: "builds",
    holds: "the function build uploads artefacts by presigned URLs, and runners download them",
    by: "languages",
    otherwise: "The error of the build contains the reply of S3. No `x-amz-checksum-*` may be part of a presigned URL.",
  },
  {
    id: "interpreters",
    title: "interpreters",
    holds: "the interpreters of bun and deno, uv, and the compiler of the Go wheel run on the processor of the functions",
    by: "languages",
    otherwise: "Deploy with `arch` of the other processor, and report the language and its error.",
  },
  {
    id: "pipes",
    title: "named pipes",
    holds: "the image of the Lambda runtime has `mkfifo`, which the runners of Node need",
    by: "languages",
    otherwise: "A run then fails with a sentence about mkfifo. Report it with the version of the runtime.",
  },
  {
    id: "edge",
    title: "the edge",
    holds: "CloudFront passes every request on, caches no reply and no error, and errors keep their code",
    by: "command",
    otherwise: "Compare the behaviours of the distribution with the table in docs/aws.md, and deploy again.",
  },
  {
    id: "large-values",
    title: "large values",
    holds: "a runner in tenant isolation stores a result of 5 MB by a presigned URL, and a caller reads it",
    by: "command",
    otherwise:
      "Look for SignatureDoesNotMatch or AccessDenied in the job's error. The signer needs s3:PutObject on the prefix, and no checksum may be part of the URL.",
  },
  {
    id: "upload",
    title: "an upload of a page",
    holds:
      "CloudFront passes an upload of 12 MB on to the bucket, in one request and in parts, where S3 accepts the signatures, and refuses to show the file",
    by: "command",
    otherwise:
      "SignatureDoesNotMatch means that CloudFront sends another Host or query than the presigned URL has: compare the behaviour `/upload/*` with the table in docs/aws.md. If a GET returns the file, its function is not associated: deploy again.",
  },
  {
    id: "idempotency",
    title: "one job for one key",
    holds: "a transaction under the condition dynamodb:LeadingKeys is allowed, and two equal calls start one job",
    by: "command",
    otherwise:
      "A 500 with AccessDeniedException in the log of the function run means that AWS judges the condition in another way: see lib/storage/objects-table.ts.",
  },
  {
    id: "burst",
    title: "calls at once",
    holds: "30 synchronous calls at once get their results",
    by: "command",
    otherwise: "A 503 or a 429 means that the account's concurrency is too low: request an increase of the quota L-B99A9384.",
  },
  {
    id: "concurrency-group",
    title: "a limit of one",
    holds: "30 jobs of a group with the limit 1 end one after the other, and loop detection stops none",
    by: "command",
    otherwise:
      "If jobs remain queued, look at the metric RecursiveInvocationsDropped of the functions worker and dead-letter, whose RecursiveLoop must be Allow.",
  },
  {
    id: "stream",
    title: "a stream",
    holds: "a stream of 120 s arrives while the script runs, is cut after 90 s and not after 29 s, and continues without loss",
    by: "command",
    otherwise:
      "If it ended after 29 s, the integration of the method has no longer timeout. If it came in one piece, look for a proxy before CloudFront, and for compression.",
  },
  {
    id: "left-streams",
    title: "streams whose reader leaves",
    holds: "a token has 20 open streams at most, further ones get 429, and they are free at most two minutes after their reader has left",
    by: "command",
    otherwise: "Look at the items `STREAMS#…` of the table of objects, and for AccessDenied in the log of the function stream.",
  },
  {
    id: "challenge",
    title: "the password of a route",
    holds:
      "an HTTP route with a password answers 401 with `WWW-Authenticate`, which CloudFront restores, and runs its script with the password",
    by: "command",
    otherwise:
      "Compare the behaviour `/api/r/*` of the distribution and its function at the viewer response with the table in docs/aws.md. A 200 without a password means that the function is not associated: deploy again.",
  },
  {
    id: "schedule",
    title: "a schedule",
    holds: "a schedule starts runs at its times",
    by: "command",
    otherwise: "Look at the log of the function housekeeping, which runs each minute, and at the message of the delayed job in the queue.",
  },
  {
    id: "queue",
    title: "a queue",
    holds:
      "a message of a queue with the tag of the workspace starts a run (only with --sources, which creates and deletes a queue in your account)",
    by: "command",
    otherwise: "Look at the field `error` of the trigger, and for AccessDenied in the logs of the functions connect and receive.",
  },
  {
    id: "restart",
    title: "the restart of a flow",
    holds: "a saved flow restarts at its second step: run may read saved flows, and a state machine starts",
    by: "command",
    otherwise: "Look for AccessDenied in the logs of the functions run and worker, and for the failed state in the Step Functions console.",
  },
  {
    id: "approval",
    title: "an approval",
    holds: "the page of an approval is shown without an account, its link resumes the flow, and the topic gets the notice",
    by: "command",
    otherwise: "Look at the log of the function approve for transactions that were refused, and at the log of deliver for the notice.",
  },
  {
    id: "idle",
    title: "frozen runners",
    holds: "a spare process that was frozen between two calls works after the pause",
    by: "command",
    otherwise:
      "If a run after the pause fails or lasts seconds, report it with the line `run` in the log of the function that called the runner.",
  },
  {
    id: "hidden",
    title: "the hidden supervisor",
    holds: "a script cannot read the environment and the descriptors of its supervisor",
    by: "command",
    otherwise: "Look for the line `A runner failed` in the log of the function that called the runner, and report its reason.",
  },
  {
    id: "login",
    title: "federated sign-in",
    holds: "every configured provider redirects to its page",
    by: "command",
    otherwise: "Compare the redirect address at the provider with docs/aws.md, and the name of the secret with the one in Secrets Manager.",
  },
  {
    id: "mail",
    title: "a mail",
    holds: "SES accepts a mail to an approver (only with --mail)",
    by: "command",
    otherwise: "In the sandbox, SES sends only to verified addresses. Request production access, and verify the sender.",
  },
  {
    id: "tenants",
    title: "tenant isolation",
    holds: "runners of two users, and builds of two workspaces, share no execution environment",
    by: "person",
    check:
      "`aws lambda get-function-configuration --function-name <function> --query TenancyConfig` shows `PER_TENANT` for each runner and for build, and `aws lambda invoke --function-name <function> reply.json` without a tenant is refused.",
    otherwise: "Choose a region that offers tenant isolation. Without it, do not let people who distrust each other run scripts.",
  },
  {
    id: "topic",
    title: "a topic",
    holds: "a message of a topic starts a run: AWS judges the right to subscribe by protocol and endpoint",
    by: "person",
    check:
      "Allow and create the trigger of docs/triggers.md for a topic of your account. `aws sns publish --topic-arn <topic> --message hello` starts a run within seconds.",
    otherwise: "Look at the field `error` of the trigger, for the subscription in the SNS console, and at the log of the function connect.",
  },
  {
    id: "bus",
    title: "an event bus",
    holds: "an event of a bus starts a run: AWS judges the right to set targets by their ARN",
    by: "person",
    check:
      'Allow the bus `default` and create the trigger of docs/triggers.md for it. `aws events put-events --entries \'[{"Source":"shop","DetailType":"Order placed","Detail":"{}"}]\'` starts a run within seconds.',
    otherwise: "Look at the field `error` of the trigger, and for AccessDenied at `events:PutTargets` in the log of the function connect.",
  },
  {
    id: "mail-trigger",
    title: "a mail that starts a run",
    holds: "SES receives a mail, stores it, and its notification starts a run",
    by: "person",
    check: "With `mailDomain`, create the trigger of docs/triggers.md and send a mail to its address. A run starts within a minute.",
    otherwise:
      "Look whether the receipt rule set of the stack is active (`aws ses describe-active-receipt-rule-set`), at the MX record, and at the metric `MailsRefused`.",
  },
  {
    id: "bypass",
    title: "the address of API Gateway",
    holds: "requests that do not come through CloudFront are refused",
    by: "person",
    check: "`curl -i https://<ApiId>.execute-api.<region>.amazonaws.com/prod/api/version` answers 403 with `x-svc-error: edge.bypassed`.",
    otherwise:
      "A web ACL can be bypassed. Compare the variable `SVC_EDGE_KEYS` of the functions with the custom header of the distribution.",
  },
  {
    id: "machines",
    title: "the Step Functions console",
    holds: "a run of a flow is shown with its steps, and the execution's status reaches the function settle",
    by: "person",
    check:
      "Open the link `execution` of a flow's run, and compare its state with the run's. Stop an execution there: the run fails within a minute.",
    otherwise: "Look at the rule for `aws.states` in EventBridge, and at the log of the function settle.",
  },
  {
    id: "mail-arrives",
    title: "mail in the inbox",
    holds: "mails of approvals arrive and are not spam, and a bounce is recorded",
    by: "person",
    check:
      "Look at the inbox of `--mail`. Then run the check with `--mail bounce@simulator.amazonses.com`: the notice of the run becomes `failed` with `bounced: …`.",
    otherwise: "Use a domain with DKIM as `mailIdentity`. For bounces, look at the subscription of the function deliver to the SES events.",
  },
  {
    id: "sign-in",
    title: "sign-in in a browser",
    holds: "a person signs in with a password, and with each provider",
    by: "person",
    check: "Open `Url`, sign in, sign out, and sign in with each provider.",
    otherwise: "The log of the function people names the reason, without secrets.",
  },
  {
    id: "alarms",
    title: "alarms",
    holds: "an alarm reaches a person",
    by: "person",
    check:
      "`aws cloudwatch set-alarm-state --alarm-name <one of the stack's alarms> --state-value ALARM --state-reason test` sends a mail to `alarmEmail`.",
    otherwise: "Confirm the subscription of the topic: its mail is sent at the first deployment.",
  },
  {
    id: "quota",
    title: "the concurrency quota",
    holds: "the account may run as many functions at once as the reservations need",
    by: "person",
    check:
      "`npm run aws:check` reports no limit of the concurrency. `aws lambda get-account-settings --query AccountLimit` shows at least 1,000 `ConcurrentExecutions`, and 100 or more `UnreservedConcurrentExecutions`.",
    otherwise: "Request an increase (docs/aws.md, quotas).",
  },
  {
    id: "rollback",
    title: "a rollback",
    holds: "a failed deployment leaves the running version in place",
    by: "person",
    check:
      "Deploy once with `npx cdk deploy -c svc='{\"reservedConcurrency\":1000000}'` and your other settings. Lambda refuses the reservation, because no account has so many executions. The stack returns to `UPDATE_ROLLBACK_COMPLETE`, and `npm run smoke` succeeds. (`npm run aws:deploy` would refuse these settings before.)",
    otherwise: "`aws cloudformation describe-stack-events` names the resource that stopped the rollback.",
  },
  {
    id: "expiry",
    title: "expiry",
    holds: "TTL and lifecycle rules remove ended jobs and their objects",
    by: "person",
    check:
      "Look after 33 days: `aws s3 ls s3://<bucket>/jobs/ --recursive` lists no object that is older than 32 days, and the table has no older job.",
    otherwise: "Compare the lifecycle rules of the bucket and the TTL attribute of the table with the template.",
  },
  {
    id: "price",
    title: "the price",
    holds: "the bill of a day is what docs/aws.md predicts",
    by: "person",
    check: "Cost Explorer, by service and day, one day after the first hundred runs.",
    otherwise: "Look at the log group with the most bytes, and at the table's request metrics.",
  },
];
