/** All limits, each with its reason. Sizes are in bytes and times in milliseconds unless the name contains another unit. */
export const limits = {
  /** A Lambda event holds 6 MB and base64 adds a third. */
  requestBodyBytes: 4 * 1024 * 1024,
  /**
   * Size of the request line and the header values together, which is a fixed quota of API Gateway ("Quotas for configuring and running a
   * REST API"). It refuses longer requests itself, and the local front server does the same.
   */
  requestHeadBytes: 10 * 1024,
  /** Size of the headers that a result may set. The same limit of API Gateway applies to a reply, whose other headers need the rest. */
  replyHeadBytes: 8 * 1024,
  /** Parts of a form, also of a multipart form. Each is parsed separately. */
  formParts: 10_000,
  /** Files of a form. Each is stored separately, for a stranger too. */
  formFiles: 500,
  /** Size of a value stored in the head item of a job. The item must stay under 1 KB to cost one write unit. */
  inlineBytes: 512,
  /** Size of the preview of a value in lists of jobs. It is part of the head item too. */
  valuePreviewBytes: 200,
  /** Size above which a child item costs more than an S3 object. An S3 PUT costs as much as eight 1 KB writes. */
  itemBytes: 8 * 1024,
  /** Size above which a result is replaced by an error, because two copies would not fit a runner's memory. */
  resultBytes: 50 * 1024 * 1024,
  /** Total size of the files in `./shared`. A runner zips them in memory. */
  sharedFolderBytes: 64 * 1024 * 1024,
  /** Size of a synchronous reply: the Lambda response limit of 6 MB, reduced by the third that base64 adds. */
  syncReplyBytes: 4 * 1024 * 1024,
  /** Size of a result above which a handler of its job does not receive it. The result becomes an argument, which costs as much as the result again. */
  handlerResultBytes: 256 * 1024,
  /** Size of the arguments that a handler's setting adds. Each failure reads them. */
  handlerArgsBytes: 16 * 1024,
  /** Size of the part of a file that is returned as text in one request. */
  previewBytes: 128 * 1024,
  /** Validity of a signed link to a file in seconds, the maximum of S3. */
  fileLinkS: 7 * 24 * 3600,
  /** Size above which output is truncated with a marker. */
  logBytes: 5 * 1024 * 1024,
  /** Size of the combined logs of a flow's steps, and number of these steps. One response contains them, and one request must read them in time. */
  flowLogChars: 1024 * 1024,
  flowLogJobs: 1000,
  scriptBytes: 1024 * 1024,
  /** Number of scripts that one script imports by their paths, itself included. */
  importedScripts: 200,
  /** Number of entries of a bundle's archive. Each is a file of the artefact. */
  bundleFiles: 2000,
  /** Time for which the source of an unsaved script is stored, and number of such sources that one request names or compares. Each is one or two reads. */
  tempScriptMs: 24 * 3600 * 1000,
  tempScriptRefs: 5000,
  /** Size of a flow with its inline scripts, the maximum of a request body. */
  flowBytes: 4 * 1024 * 1024,
  /** Nesting depth of lists of modules. Each level adds to the names of results, and to the state machine for parallel lists. */
  flowNesting: 20,
  /** Depth of nested flows. A deeper nesting means that a flow runs itself endlessly. */
  flowDepth: 20,
  /** Size of a state machine as a string in JSON. A request to Step Functions has at most 1 MiB, including its other fields. */
  machineBytes: 1_000_000,
  /** Time after which an unused state machine is deleted. Step Functions stores executions for 90 days. */
  machineIdleMs: 30 * 24 * 3600 * 1000,
  /** Size of one value that a script stores with its flow, and number of values. flow_status returns all of them. */
  userStateBytes: 8 * 1024,
  userStates: 50,
  /** Number of steps, iterations or branches in a page of a flow's outline. */
  outlinePage: 1000,
  /** Items of the journal that one page of an outline reads for its iterations, and values of errors outside of the journal. */
  outlineReads: 5000,
  outlineErrors: 200,
  /** Jobs that one request reads to estimate the cost of a run's steps, or of the runs of a path, and the time that the latter covers. */
  costReads: 1000,
  costMs: 30 * 24 * 3600 * 1000,
  expressionChars: 10_000,
  /** Number of variables and resources that the expressions of one step may read. The expression is evaluated again for each. */
  expressionReads: 20,
  /** Number of retries of one module. Each retry may wait for hours. */
  retries: 1000,
  /** Size of a variable's value. Sealed and in base64, it must fit an item of 400 KB. */
  variableBytes: 128 * 1024,
  /** Size of a resource's value. One item contains it, so that one read returns twenty. */
  resourceBytes: 300 * 1024,
  /** The unsaved work of a user on one object, and the number of such objects in a workspace. */
  draftBytes: 300 * 1024,
  drafts: 200,
  /** The arguments of a saved input, and the number of such inputs of a user for one script or flow. */
  savedInputBytes: 100 * 1024,
  savedInputs: 100,
  /** Validity of a link that shows a run, in seconds, and the number of such links of a run. */
  shareS: 7 * 24 * 3600,
  shares: 20,
  /** Size of the log, the arguments and the result of a shared run as JSON. One reply contains all of them, and Lambda escapes them once more. */
  sharedPartBytes: 512 * 1024,
  /** Number of objects that a user may star in a workspace. One item contains them, which each list of objects reads. */
  favorites: 200,
  /** Saved filters of runs: number of those of a user in a workspace, of the shared ones, and of the filters in each. One list returns them all. */
  views: 100,
  sharedViews: 200,
  viewFilters: 30,
  /**
   * A search: number of sources that may contain the query and that it reads, number of results of one reply without a query, and number of objects
   * that it compares with an index that is not complete.
   */
  searchedSources: 200,
  searchListed: 2000,
  searchCompared: 500,
  /**
   * The uses of an object: number of pages of each kind that one request reads, items of a page, which has at most 1 MB, and places in the reply.
   */
  mentionPages: 20,
  mentionPageItems: 250,
  mentions: 1000,
  /** Number of dismissed hints in the preferences of a user. */
  dismissedHints: 100,
  /** Size of a setting of a workspace that the service only stores, and length of a path in it. One reply contains all settings. */
  settingBytes: 100 * 1024,
  settingPathChars: 400,
  /** Size of a list of package versions of a workspace, number of lists, and of the archived contents of each. */
  dependencyListBytes: 100 * 1024,
  dependencyLists: 100,
  archivedDependencies: 10,
  /** Size of all lists as a JSON string in JSON, as a reply of API Gateway contains it, without and with archived contents. */
  dependenciesBytes: 4 * 1024 * 1024,
  dependenciesReplyBytes: 5 * 1024 * 1024,
  /** Size of an app's value as a JSON string in JSON, as a reply of API Gateway contains it. A Lambda response holds 6 MB. */
  appBytes: 5 * 1024 * 1024,
  resourceTypeBytes: 100 * 1024,
  /** Size of the content of a workspace's archive, which one invocation zips in memory. */
  archiveBytes: 200 * 1024 * 1024,
  /** Size of an archive above which the reply is a link to it. A Lambda response holds 6 MB, and base64 adds a third. */
  archiveReplyBytes: 3 * 1024 * 1024,
  /** Validity of that link in seconds. */
  archiveLinkS: 5 * 60,
  /** Size of arguments with their references resolved. One invocation transfers them. */
  resolvedBytes: 4 * 1024 * 1024,
  /** Number of references in one value, also in the resources that it refers to. Each is one read. */
  references: 1000,
  /** Depth of references between resources. Each level is one read. */
  referenceSteps: 10,
  /** Length of a cron expression, which may list every minute of an hour. */
  cronChars: 250,
  /** Size of a schedule's arguments, of which each queued run has a copy. */
  scheduleArgsBytes: 100 * 1024,
  /** Minimum length of masked secrets. Masking shorter ones would hide ordinary words. */
  maskedChars: 8,
  dataKeyCacheMs: 300_000,
  artefactBytes: 200 * 1024 * 1024,
  /** The declarations of the packages of a script, as JSON, because one reply contains them. Most packages have less than 1 MB, and `stripe` has 3 MB. */
  declarationBytes: 3.5 * 1024 * 1024,
  declarationFiles: 2000,
  jobRetentionMs: 30 * 24 * 3600 * 1000,
  /** API Gateway ends a request after 29 s. */
  syncCallMs: 25_000,
  defaultTimeoutS: 60,
  /** Time that a step waits for a job of another process. An invocation of a function ends after 15 minutes. */
  stepWaitMs: 880_000,
  /**
   * Time that a step waits for a slot of a concurrency group inside the execution. After that, it waits without an execution (decision 54).
   */
  slotWaitMs: 20_000,
  /** Interval of housekeeping checks of a flow's execution, whose events may be lost. */
  flowCheckMs: 300_000,
  /** The same interval for a flow that waits in one of its branches, and for one that waits for a nested flow. */
  flowBranchWaitCheckMs: 3600_000,
  /** The same interval for a flow that sleeps or waits for approval, and in which nothing else runs: no event occurs. */
  flowWaitCheckMs: 24 * 3600_000,
  /** A task that waits registers its token within this time; after that the token counts as lost. */
  taskTokenMs: 60_000,
  /** The same interval for a flow that waits for a slot. */
  flowParkedCheckMs: 60_000,
  /** An execution of Step Functions lasts at most a year. */
  flowTimeoutS: 360 * 24 * 3600,
  /** A Lambda invocation lasts at most 900 s. The rest is for loading the code and storing the result. */
  maxTimeoutS: 840,
  /**
   * Duration of a stream, after which the reader resumes it at a timeout event. Lambda does not notice that a reader has left, so a stream without
   * a reader costs its whole duration (decision 131).
   */
  streamMs: 90_000,
  /** Time that a function and API Gateway leave a stream beyond its duration. After that, they end one that does not end itself. */
  streamGraceMs: 30_000,
  /** Number of streams that are open at the same time, for each token and for each address without a token. */
  streamsPerToken: 20,
  streamsPerAddress: 5,
  /** Pause of a browser before it resumes a stream. */
  streamRetryMs: 1000,
  /** Longest silence of a stream, to which one polling interval is added. CloudFront ends a response whose next part takes longer than 60 s. */
  streamPingMs: 15_000,
  /** Longest polling interval that the reader of a stream can choose. */
  streamPollMs: 10_000,
  leaseMs: 60_000,
  /** Interval at which the process that waits for a runner renews the lease. Shorter runs cost no renewal. */
  executorRenewMs: 20_000,
  /** A run begins without another read if its rights were read at most this long ago. */
  rightsFreshMs: 10_000,
  /** Time between the end of a lease and the requeueing of the job. The supervisor ends itself after 40 s without a response. */
  leaseGraceMs: 10_000,
  maxAttempts: 3,
  /** Maximum time after which the message of a queued job is sent again, because a process may have died before it sent the first one. */
  resendMs: 900_000,
  /** Delay of a job that AWS refused to run: for the first time, and at most. It doubles in between. */
  firstPostponementMs: 2000,
  maxPostponementMs: 300_000,
  /** Time for which a process repeats a refused write that puts a job back: about the time in which no other process takes the job. */
  busyRetryMs: 65_000,
  /** The same for the end of a run, which would otherwise be repeated. */
  busyEndRetryMs: 300_000,
  /** Number of slots of a concurrency group, because one item contains them. */
  concurrentLimit: 1000,
  concurrencyWindowS: 7 * 24 * 3600,
  concurrencyKeyChars: 500,
  /** SQS delays a message for at most 15 minutes. */
  maxQueueDelayMs: 900_000,
  /** The longest period that counts, in seconds, about 3,170 years: its sum with the current time is a date with a four-digit year. */
  periodS: 100_000_000_000,
  /** Maximum delay of a job, equal to the maximum duration of a flow. */
  maxDelayS: 360 * 24 * 3600,
  idempotencyKeyChars: 255,
  /** Time for which a repeated call is recognised. */
  idempotencyMs: 24 * 3600 * 1000,
  /** Time for which a repeated `webhook-id` is recognised. Senders retry for more than a day (Standard Webhooks: 27 hours). */
  webhookIdMs: 72 * 3600 * 1000,
  /** Number of files whose content is part of a cache key. Each is one request. */
  cachedFiles: 20,
  /** The size of a file that is uploaded in parts, and the numbers of its parts and of the URLs that one request returns. */
  uploadBytes: 50 * 1024 ** 3,
  uploadParts: 1000,
  uploadUrls: 20,
  /** The time for which an upload can be continued. The bucket removes the parts of older ones after a day. */
  uploadMs: 24 * 3_600_000,
  /** Number of jobs that one request runs again. They must start within the duration of the request. */
  rerunJobs: 500,
  /** Number of jobs of one bulk action, of its stored errors, and of a user's unfinished bulk actions. A worker handles them one part after the other. */
  bulkJobs: 10_000,
  bulkErrors: 100,
  bulks: 5,
  /** Size of the arguments of a bulk action. They are stored with its progress, which is written after each part. */
  bulkArgsBytes: 16 * 1024,
  /** Time for which a bulk action is stored, and for which its runs are not started twice. */
  bulkMs: 7 * 24 * 3600 * 1000,
  /** Maximum age of a cached instance setting. */
  settingAgeMs: 30_000,
  /** Number of approvals of one gate, because they are stored in one item. */
  gateEvents: 100,
  /** Number of open gates that one list of pending approvals reads and returns. It reads about a hundred in 100 ms. */
  pendingRead: 5000,
  pendingListed: 1000,
  /** Size of all files of an approval that is given in a chat. With the third that base64 adds, they fit into its payload. */
  approvalFilesBytes: 180 * 1024,
  /** Size of the payload of an approval. */
  approvalPayloadBytes: 256 * 1024,
  /** Time after which a new key signs approval links, and the time for which a key is valid, which covers the maximum duration of a run. */
  linkKeyMs: 90 * 24 * 3600 * 1000,
  linkKeyKeptMs: 400 * 24 * 3600 * 1000,
  /** Number of mails for one notice, for gates that a whole company may decide. */
  noticeMails: 500,
  /** Length of a text in a notice. The page shows the whole text. */
  noticeTextChars: 4000,
  /**
   * Time for which an attempt of a delivery is reserved for its sender, longer than the sender can run. After that, it counts as lost and is made
   * again. A message of a delivery queue returns later than this.
   */
  deliveryHoldMs: 40_000,
  /** The longest pause that a receiver can request with `Retry-After`. */
  retryAfterMs: 24 * 3600 * 1000,
  /** Deliveries of a message of a trigger, after which it goes to the dead-letter queue. */
  triggerReceives: 3,
  /** Size of a mail that starts a job. Function `receive` parses it in memory. */
  mailBytes: 30 * 1024 * 1024,
  /** Lines of a mail that may begin a part, and attachments. Each part is parsed, and each attachment stored, separately. */
  mailParts: 10_000,
  mailAttachments: 500,
  /** Size above which the raw mail is passed as a file, and a text of the mail is truncated: both are arguments of the job. */
  mailTextBytes: 1024 * 1024,
  /** Time for which one call waits for messages of a queue of another account, and time for which function `receive` reads it. */
  pollWaitMs: 5000,
  pollMs: 20_000,
  /** Minimum time between two reminders of the same gate. */
  noticeAgainMs: 60_000,
  /** Time for which a receiver gets no second notice of a failure of the same script or flow. */
  failureNoticeMs: 3600_000,
  /** Number of rules by which a workspace reports failures, and of recipients in one of them. */
  failureNoticeRules: 50,
  failureNoticePeople: 50,
  /** Time within which the response of a webhook receiver must end. */
  webhookAnswerMs: 10_000,
  /** Time within which the response of a chat's vendor must end. A click must be answered within 3 s. */
  chatAnswerMs: 2500,
  /** Size of a call of a chat's vendor. */
  chatCallBytes: 1024 * 1024,
  /** Time in which the link that connects a person in a chat with a user works. */
  chatLinkMs: 10 * 60_000,
  /** Number of messages that ask for a decision of one gate. */
  chatMessages: 50,
  /** Number of endpoints for events, not counting that of the workspace. Each event is compared with all of them. */
  webhookEndpoints: 20,
  webhookUrlChars: 2000,
  /** An endpoint whose deliveries fail for this long is switched off. */
  endpointFailsMs: 5 * 24 * 3600 * 1000,
  /** Number of deliveries that one request sends again. */
  replayedDeliveries: 10_000,
  /** The same for an attempt in the fast lane. A receiver that needs longer has its attempts in the slow lane (decision 78). */
  webhookFastAnswerMs: 2000,
  /** A receiver that answers within this time belongs to the fast lane. */
  fastReceiverMs: 1000,
  /** Size of the response of a webhook receiver. It is not stored. */
  webhookAnswerBytes: 1024 * 1024,
  /** Time for which a replaced secret also signs, so that receivers can change it. */
  oldWebhookSecretMs: 24 * 3600 * 1000,
  /** Default time that a step waits for its approvals. */
  suspendTimeoutS: 1800,
  perPage: 30,
  maxPerPage: 100,
  /** Number of entries that one request reads of the audit log, or of the jobs that are due in a shard. */
  listScan: 20_000,
  /** The highest position in a queue that is counted. */
  queuePosition: 1000,
  /** Number of entries that one list or count compares in an index of jobs before it returns the matches so far. They have about 300 bytes. */
  jobScan: 60_000,
  /** Number of jobs that one list reads without a match, because no index contains its filter. A hundred take up to 150 ms. */
  listReads: 200,
  /** Number of such searches that one list makes before it returns no match. Each takes up to 300 ms. */
  listSearches: 10,
  /** Number of ended jobs that one request reads for statistics, a quarter of a millisecond and $0.00000025 each, and number of buckets in its reply. */
  statsReads: 2000,
  statsBuckets: 200,
  /** Number of errors in the reply: each has at most 200 bytes. */
  statsErrors: 50,
  /** Number of jobs that a list skips for a page number. A cursor continues a list at any depth, without reading the pages before. */
  listSkipped: 10_000,
  /** Number of stored arguments and results that one list compares with `args` and `result`. */
  listValues: 100,
  /** Number of queued and running jobs that a list sorts. A longer queue is read in the order of creation. */
  listQueue: 600,
  tokenPrefixChars: 10,
  /** Duration of a session. Pages renew it before it ends. */
  sessionMs: 14 * 24 * 3600 * 1000,
  /** Time for which failed sign-ins elsewhere do not delay an account at an address where it has signed in. */
  knownAddressMs: 30 * 24 * 3600 * 1000,
  /** Maximum time between the redirect to a provider and the callback. */
  loginMs: 10 * 60_000,
  /** Time in which a user must allow the sign-in of a device, and the device must fetch its token. */
  deviceGrantMs: 10 * 60_000,
  /** Validity of a token for a device. A command line is used less often than a browser, and stores its token in a file. */
  deviceTokenMs: 90 * 24 * 3600 * 1000,
  /**
   * Validity of an ID token in seconds. AWS STS and others accept it until it expires, even if the caller loses their rights before.
   */
  idTokenS: { shortest: 60, usual: 3600, longest: 24 * 3600 },
  /** Connect clients of the instance. One item contains them. */
  connectClients: 100,
  /** Time for one request to the token endpoint of another service. */
  tokenRequestMs: 8_000,
  /** Size of a token of another service. The cookie of a connection and a variable must hold it. */
  accountTokenBytes: 16 * 1024,
  /** Time before the expiry of a token at which it is refreshed. A token with a short validity is refreshed in its last third. */
  refreshBeforeMs: 10 * 60_000,
  /** Assumed validity of a token that can be refreshed but names no expiry. */
  assumedTokenMs: 3600_000,
  /** Failed refreshes in a row after which the variable shows the error and the owner gets a mail. */
  refreshFailures: 3,
  /** Audit entries expire after a year. */
  auditRetentionMs: 365 * 24 * 3600 * 1000,
} as const;
