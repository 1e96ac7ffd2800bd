import type { BuildRequest, BuildTarget } from "../core/builds/build.ts";
import type { Tenancy } from "../core/jobs/tenant.ts";
import type { Buckets } from "./buckets.ts";
import type { Chats, Discord, Slack, Teams } from "./chats.ts";
import type { Clock } from "./clock.ts";
import type { ConcurrencyStore } from "./concurrency-store.ts";
import type { DescribeStateMachine, Executions, StateMachines } from "./executions.ts";
import type { Assets, FileStore } from "./file-store.ts";
import type { Functions, TriggerSources } from "./functions.ts";
import type { KeySets, TokenEndpoints } from "./identity-providers.ts";
import type { JobStore } from "./job-store.ts";
import type { AnchorKey, DataKeys, FindPublicKey, SigningKey } from "./keys.ts";
import type { ObjectStore, ScanObjects } from "./object-store.ts";
import type { Logins, People } from "./people.ts";
import type { DeliveryQueue, Queue, SourceQueues } from "./queues.ts";
import type { ScheduleStore } from "./schedule-store.ts";
import type { Mail, NoticePublishers, Webhooks } from "./senders.ts";
import type { DeploymentPlace, EventRules, EventSourceMappings, Subscriptions } from "./sources.ts";

/**
 * The external systems that use cases call, and the facts about the deployment that they need. Every method that calls AWS throws `service.busy` if
 * AWS throttles the call or is unavailable, except where its interface states otherwise. The adapters of AWS are in aws/.
 */
export interface Ports {
  jobs: JobStore;
  objects: ObjectStore;
  storage: FileStore;
  concurrency: ConcurrencyStore;
  schedules: ScheduleStore;
  buckets: Buckets;
  assets: Assets;
  scanObjects: ScanObjects;

  queue: Queue;
  deliveryQueue: DeliveryQueue;
  queues: SourceQueues;
  executions: Executions;
  stateMachines: StateMachines;
  describeStateMachine: DescribeStateMachine;
  functions: Functions;
  sources: TriggerSources;
  mappings: EventSourceMappings;
  rules: EventRules;
  subscriptions: Subscriptions;

  /** The keys of variables, resources and other secrets of a workspace. */
  dataKeys: DataKeys;
  /** The keys of resume links. */
  linkKeys: DataKeys;
  /** The keys of the secrets of outgoing webhooks. */
  webhookKeys: DataKeys;
  /** The keys of the secrets of connect clients and of refresh tokens. */
  accountKeys: DataKeys;
  /** The keys of copies by which HTTP routes authenticate requests. */
  httpRouteKeys: DataKeys;
  /** The keys of the copies that hold what the service needs of the resources of chat applications. */
  chatKeys: DataKeys;
  anchorKey: AnchorKey;
  /** Returns the key that signs the tokens of jobs. Only executors may read its secret. */
  signingKey: () => Promise<SigningKey>;
  publicKey: FindPublicKey;

  people: People;
  logins: Logins;
  mail: Mail;
  chats: Chats;
  slack: Slack;
  discord: Discord;
  teams: Teams;
  noticePublishers: NoticePublishers;
  webhooks: Webhooks;
  tokenEndpoints: TokenEndpoints;
  keySets: KeySets;

  nowMs: Clock["nowMs"];
  /** Waits for some milliseconds. A test moves its clock instead. Default: a timer. */
  pause?: Clock["pause"];
  /** The longest time (ms) for which a refused call is repeated, where the function has less time than that. */
  maxRetryMs?: number;
  /** Returns the time (ms) for which this process can wait for a runner. */
  waitsForMs: () => number;
  /** Returns the longest time (ms) for which a synchronous request waits for the end of its job. */
  syncLimitMs: () => Promise<number>;

  /** The name of this process in the records of the jobs that it runs. */
  worker: string;
  /** Whether runs of different identities or of different workspaces share no execution environment. */
  tenancy: Tenancy;
  /** The name of the stack, which is the beginning of the names of its rules and state machines. */
  stack: string;
  /** The origin of the service, without a slash at the end. */
  baseUrl: string;
  /** The origin at which runners reach the service. */
  internalUrl: string;
  /** The origin at which runners reach function `beat`. */
  beatUrl: string;
  /** The origin of users' HTTP routes, if they have a separate domain. */
  routesUrl?: string | undefined;
  /** The address at which browsers upload files to the bucket, if the deployment has one. The path and the query of a presigned URL follow it. */
  uploadsUrl?: string | undefined;
  /** The receiver that the deployment names (`INSTANCE_EVENTS_WEBHOOK`). A setting of the instance replaces it. */
  instanceEventsUrl: string | undefined;
  /** The domain whose mails start jobs, if the deployment has one. */
  mailDomain: string | undefined;
  /** The topic on which SES reports mails. */
  mailTopicArn: string | undefined;
  /** The queue to which topics, rules and SES send messages. Every other queue belongs to a trigger. */
  ownQueueArn: string;
  /** The same queue, for the function that connects sources to it. */
  triggerQueueArn: string;
  /** The number of invocations that the messages of a queue may occupy at the same time. */
  triggerConcurrency: number;
  /** The timeout of function `receive` in seconds: a queue must hide a message for at least as long. */
  receiveTimeoutS: number;
  /** Whether the deployment has the queue of triggers. */
  deploysTriggerQueue: boolean;
  /** Returns the URL of a queue of the deployment's account. */
  toQueueUrl: (name: string) => string;
  /** Whether the deployment is a local engine. */
  isLocal: boolean;
  place: DeploymentPlace;
  /** The ARN of the function that runs the steps of flows. */
  stepFunction: string;
  /** The ARN of the role of state machines. */
  machineRole: string;
  /** The architecture and versions that artefacts are built for. */
  target: BuildTarget;
  /** The package registries of the deployment. */
  registries: BuildRequest["registries"];
}
