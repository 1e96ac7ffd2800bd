/** All limits, each with its reason. Sizes are in bytes and times in milliseconds unless the name contains another unit. */
export const limits = {
  /** A Lambda event holds 6 MB and base64 adds a third. */
  requestBodyBytes: 4 * 1024 * 1024,
  /** Size of the request line and the headers together, which is the limit of API Gateway. */
  requestHeadBytes: 10 * 1024,
  /** Nesting depth of lists and objects in a body. The JSON parser of every language can read this depth without a stack overflow. */
  bodyDepth: 400,
  /** Parts of a multipart form: each is parsed for itself. */
  formParts: 10_000,
  /** Size of a value stored in the head item of a job. The item must stay under 1 KB to cost one write unit. */
  inlineBytes: 512,
  /** Above it a child item costs more than an S3 object (an S3 PUT costs what eight 1 KB writes cost). */
  itemBytes: 8 * 1024,
  /** A result above it is cut off with an error: it would not fit a runner's memory twice. */
  resultBytes: 50 * 1024 * 1024,
  /** `./shared` of steps that run in one place, its files together: a runner zips it in memory. */
  sharedFolderBytes: 64 * 1024 * 1024,
  /** A synchronous reply after encoding: the Lambda response limit of 6 MB less base64's third. */
  syncReplyBytes: 4 * 1024 * 1024,
  /** Size of the part of a file that is returned as text in one request. */
  previewBytes: 128 * 1024,
  /** A signed link to a file works for a week at most: S3 signs for no longer either. */
  fileLinkS: 7 * 24 * 3600,
  /** Output above it is cut, with a marker. */
  logBytes: 5 * 1024 * 1024,
  /** Size of the combined logs of a flow's steps, and number of these steps. One response contains them, and one request must read them in time. */
  flowLogChars: 1024 * 1024,
  flowLogJobs: 1000,
  scriptBytes: 1024 * 1024,
  /** A flow as it is sent, its inline scripts included: what a request's body holds. */
  flowBytes: 4 * 1024 * 1024,
  /** Lists of modules inside of one another: each is a level in the names of its results, and in the state machine where it runs beside others. */
  flowNesting: 20,
  /** Flows that run one another: more is one that runs itself for ever. */
  flowDepth: 20,
  /** Size of a state machine as a string in JSON. A request to Step Functions has at most 1 MiB, including its other fields. */
  machineBytes: 1_000_000,
  /** A state machine that nothing has run for so long is deleted; Step Functions remembers executions for 90 days. */
  machineIdleMs: 30 * 24 * 3600 * 1000,
  /** Size of one value that a script stores with its flow, and number of values. flow_status returns all of them. */
  userStateBytes: 8 * 1024,
  userStates: 50,
  expressionChars: 10_000,
  /** Variables and resources that the expressions of one step may read: for each the expression is evaluated once more. */
  expressionReads: 20,
  /** Number of retries of one module. Each retry may wait for hours. */
  retries: 1000,
  /** A variable's value: sealed and in base64 it must fit one item of 400 KB. */
  variableBytes: 128 * 1024,
  /** A resource's value: one item holds it, so that twenty of them are one read. */
  resourceBytes: 300 * 1024,
  resourceTypeBytes: 100 * 1024,
  /** Arguments with their references resolved: they travel in one invocation. */
  resolvedBytes: 4 * 1024 * 1024,
  /** How far references lead from one resource to the next: each step is one read. */
  referenceSteps: 10,
  /** Shorter secrets are not masked: they would blacken every other word. */
  maskedChars: 8,
  dataKeyCacheMs: 300_000,
  artefactBytes: 200 * 1024 * 1024,
  jobRetentionMs: 30 * 24 * 3600 * 1000,
  /** API Gateway gives up after 29 s. */
  syncCallMs: 25_000,
  defaultTimeoutS: 60,
  /** How long a step waits for a job of another process. An invocation of a function ends after 15 minutes. */
  stepWaitMs: 880_000,
  /** A step that waits for a slot of a concurrency group does so here for so long, and then without an execution (decision 54). */
  slotWaitMs: 20_000,
  /** How often housekeeping checks the execution of a flow, because its events may be lost. */
  flowLookMs: 300_000,
  /** The same of a flow that waits for people: nothing of it is under way. */
  flowWaitLookMs: 3600_000,
  /** A task that waits registers its token within this time; after that the token counts as lost. */
  taskTokenMs: 60_000,
  /** The same of a flow that waits for a slot. */
  flowParkedLookMs: 60_000,
  /** An execution of Step Functions lasts a year at most. */
  flowTimeoutS: 360 * 24 * 3600,
  /** A Lambda invocation lasts 900 s; the rest is for loading the code and storing the result. */
  maxTimeoutS: 840,
  /** API Gateway ends a streamed response after 15 minutes. The service ends it earlier with a timeout event. */
  streamMs: 14 * 60_000,
  leaseMs: 60_000,
  /** Time between the end of a lease and the requeueing of the job. The supervisor ends itself after 40 s without a response. */
  leaseGraceMs: 10_000,
  maxAttempts: 3,
  /** Slots of a concurrency group: one item holds them all. */
  concurrentLimit: 1000,
  concurrencyWindowS: 7 * 24 * 3600,
  concurrencyKeyChars: 500,
  /** SQS holds a message back for at most 15 minutes. */
  maxQueueDelayMs: 900_000,
  /** A job may wait this long for its time: as long as a flow may last. */
  maxDelayS: 360 * 24 * 3600,
  idempotencyKeyChars: 255,
  /** How long a repeated call is known as such. */
  idempotencyMs: 24 * 3600 * 1000,
  /** How long a call is known by its `webhook-id`: senders retry for more than a day (Standard Webhooks: 27 hours). */
  webhookIdMs: 72 * 3600 * 1000,
  /** Files whose content decides whether a result is in the cache: each is one request. */
  cachedFiles: 20,
  /** Jobs that one call runs again: they are started within the time that a call may take. */
  rerunJobs: 500,
  /** How old an instance setting may be where it is used. */
  settingAgeMs: 30_000,
  /** Number of approvals of one gate, because they are stored in one item. */
  gateEvents: 100,
  /** Size of the payload of an approval. */
  approvalPayloadBytes: 256 * 1024,
  /** A key that signs links to approvals is followed by another one after this, and holds as long as a run may last. */
  linkKeyMs: 90 * 24 * 3600 * 1000,
  linkKeyKeptMs: 400 * 24 * 3600 * 1000,
  /** Whom one notice is mailed to at most: what a whole company may decide is no reason to write to all of it. */
  noticeMails: 500,
  /** Length of a text in a notice. The page shows the whole text. */
  noticeTextChars: 4000,
  /** How long a delivery is its sender's alone, longer than the sender can live: then it counts as lost and is sent again. */
  deliveryHoldMs: 90_000,
  /** Minimum time between two reminders of the same gate. */
  noticeAgainMs: 60_000,
  /** Time within which the response of a webhook receiver must begin. */
  webhookAnswerMs: 10_000,
  /** A secret that was replaced signs beside the new one for so long: receivers change it in that time. */
  oldWebhookSecretMs: 24 * 3600 * 1000,
  /** Default time that a step waits for its approvals. */
  suspendTimeoutS: 1800,
  perPage: 30,
  maxPerPage: 100,
  /** Number of index entries that one filtered list reads before it returns the matches so far. */
  listScan: 20_000,
  tokenPrefixChars: 10,
  /** Signing in lasts two weeks, and longer for who comes back: pages renew their session in time. */
  sessionMs: 14 * 24 * 3600 * 1000,
  /** From the way to a provider until the way back. */
  loginMs: 10 * 60_000,
  /** Audit entries expire after a year. */
  auditRetentionMs: 365 * 24 * 3600 * 1000,
} as const;
