import { Stack } from "aws-cdk-lib";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import type { UserPool } from "aws-cdk-lib/aws-cognito";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Bucket, IBucket } from "aws-cdk-lib/aws-s3";
import type { Topic } from "aws-cdk-lib/aws-sns";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { defined } from "../contract/defined.ts";
import { env } from "../contract/env.ts";
import { Api } from "./api/api.ts";
import { Edge, RoutesEdge } from "./api/edge.ts";
import { EdgeKeys } from "./api/edge-keys.ts";
import { RegionalOrigin } from "./api/regional-origin.ts";
import { Build } from "./compute/bundles/build.ts";
import type { Bundle } from "./compute/bundles/bundle.ts";
import { bundleOf } from "./compute/bundles/bundle-of.ts";
import { JobQueue } from "./compute/job-queue.ts";
import { Runners } from "./compute/runners.ts";
import { Tick } from "./compute/schedule.ts";
import { ServiceFunction } from "./compute/service-function.ts";
import { hasEdge, parseConfig, type StackConfig, type SvcSettings, skipsInterpreters } from "./config.ts";
import { Deployments } from "./deployments/deployments.ts";
import type { FlowOptions, FolderOptions, ScriptOptions } from "./deployments/options.ts";
import { StateMachines } from "./flows/state-machines.ts";
import { addApiFunctions } from "./functions/api-functions.ts";
import { addBackgroundFunctions } from "./functions/background-functions.ts";
import { addBeatFunction } from "./functions/beat-function.ts";
import { addExecutionFunctions } from "./functions/execution-functions.ts";
import { addTriggerFunctions } from "./functions/trigger-functions.ts";
import { DeliveryQueues } from "./notifications/delivery-queues.ts";
import { Notices } from "./notifications/notifications.ts";
import { ClientAddresses } from "./observability/client-addresses.ts";
import { Observe } from "./observability/observe.ts";
import { findBundles } from "./package/assets.ts";
import { Logins } from "./people/logins.ts";
import { People } from "./people/people.ts";
import { Signing } from "./people/signing.ts";
import { Storage } from "./storage/bucket.ts";
import { INDEXES, JobsTable } from "./storage/jobs-table.ts";
import { Keys } from "./storage/keys.ts";
import { ObjectsTable } from "./storage/objects-table.ts";
import { Triggers } from "./triggers/triggers.ts";

/** Feature flags of CDK on which the template depends. They apply to the service unless the app sets them. */
const FLAGS = {
  "@aws-cdk/aws-iam:minimizePolicies": true,
  "@aws-cdk/core:checkSecretUsage": true,
  "@aws-cdk/aws-apigateway:disableCloudWatchRole": true,
  "@aws-cdk/aws-sns-subscriptions:restrictSqsDescryption": true,
  "@aws-cdk/aws-cloudfront:defaultSecurityPolicyTLSv1.2_2021": true,
};

/** The settings of docs/aws.md, and those that only code can set. */
export interface SvcProps extends Omit<SvcSettings, "stackName"> {
  /** Part of the names in the account: two services in one account and region need different names. `svc` by default. */
  readonly name?: string;
  /** The functions. By default those of the package that this construct is from. */
  readonly bundles?: readonly Bundle[];
}

/** The whole service: the constructs that own resources, and the functions of lib/functions with the capabilities that those constructs grant. */
export class Svc extends Construct {
  /** Part of the names of the service in its account. */
  readonly name: string;
  /** The origin at which people and programs reach the service, without a trailing slash. */
  readonly url: string;
  /** The REST API behind `url`. */
  readonly api: RestApi;
  readonly jobsTable: Table;
  readonly objectsTable: Table;
  readonly bucket: Bucket;
  /** The queues of jobs. */
  readonly queues: { readonly normal: Queue; readonly high: Queue; readonly deadLetters: Queue };
  /** The topic to which the service sends notices. */
  readonly noticesTopic: Topic;
  /** The user pool of people who sign in with a password. Absent if the setting `passwords` is off. */
  readonly userPool: UserPool | undefined;
  /** All functions by name, such as `worker`, `setup` or `runner-python3`. Give them no rights: scripts run in those of runners. */
  readonly functions: ReadonlyMap<string, LambdaFunction>;
  /** The names and addresses that tools and people need, by the names of the outputs of the stack `svc`. */
  readonly outputs: Readonly<Record<string, string>>;

  private readonly deployments: Deployments;

  constructor(scope: Construct, id: string, props: SvcProps = {}) {
    super(scope, id);
    for (const [flag, value] of Object.entries(FLAGS)) if (this.node.tryGetContext(flag) === undefined) this.node.setContext(flag, value);
    const { name, bundles: preparedBundles, ...settings } = props;
    const config = parseConfig({ ...settings, ...defined({ stackName: name }) }, skipsInterpreters(this.node));
    const bundles = preparedBundles ?? findBundles(config);
    this.name = config.stackName;
    requireFreeName(this, config.stackName);
    const jobs = new JobsTable(this, "Jobs", config);
    const objects = new ObjectsTable(this, "Objects", config);
    const storage = new Storage(this, "Storage", config);
    const secrets = new Keys(this, "Keys", config);
    const queue = new JobQueue(this, "JobQueue", config);
    const signing = new Signing(this, "Signing", config);
    const people = new People(this, "People", config);
    const runners = new Runners(this, "Runners", config, bundles);
    const build = new Build(this, "Builds", config, bundleOf(bundles, "functions", "build"));
    const notices = new Notices(this, "Notices", config);
    const deliveries = new DeliveryQueues(this, "Deliveries", config);
    const flows = new StateMachines(this, "StateMachines", config);
    const triggers = new Triggers(this, "Triggers", config, storage);
    const api = new Api(this, "Gateway", config);
    const edge = hasEdge(config)
      ? { api: api.api, keys: new EdgeKeys(this, "EdgeKeys", config), bucket: storage.bucket as IBucket }
      : undefined;
    const { url, origin } = edge ? new Edge(this, "Edge", config, edge) : addOrigin(this, config, api.api);
    if (edge && config.routesDomain) new RoutesEdge(this, "RoutesEdge", { ...config, domain: config.routesDomain }, edge);

    const logins = config.logins.length > 0 ? new Logins(this, "Logins", { config, pool: people.signIn?.pool, url }) : undefined;
    const { beat, beatUrl } = addBeatFunction({ scope: this, config, bundles, url, objects, jobs, storage });
    const parts = {
      scope: this,
      ...{
        config,
        bundles,
        url,
        beatUrl,
        jobs,
        objects,
        storage,
        secrets,
        queue,
        signing,
        people,
        logins,
        runners,
        build,
        notices,
        deliveries,
        flows,
        triggers,
      },
    };

    const { step, machines, worker, run, routes, stream } = addExecutionFunctions(parts);
    const { receive, connect } = addTriggerFunctions(parts);
    const { approve, ...answering } = addApiFunctions(parts, { step, connect });
    const { deliver, housekeeping, deadLetter, setup } = addBackgroundFunctions(parts, machines, {
      receive,
      connect,
      objects: answering.objects,
      approve,
    });

    const routed = { run, routes, stream, approve, ...answering };
    // Requests to the URL of `beat` do not come through CloudFront.
    api.route({ ...routed, beat });
    edge?.keys.provideKeys(Object.values(routed));
    if (!config.local) new ClientAddresses(this, "ClientAddresses", config, Object.values(routed));
    if (!edge && !config.local) for (const fn of Object.values(routed)) fn.addEnvironment(env.callsGateway, "on");
    if (config.routesDomain) edge?.keys.provideRoutesKey(routes);
    new Tick(this, "Tick", housekeeping);
    // The functions are discovered, not listed, so that no new function is without an alarm.
    this.functions = new Map(
      this.node.findAll().flatMap((each) => (each instanceof ServiceFunction ? [[each.name, each.fn] as const] : [])),
    );
    const tables = { jobs: jobs.table, objects: objects.table };
    const observed = () => ({
      stackName: config.stackName,
      api: api.api,
      throttledRequests: api.countThrottledRequests(),
      queues: queue,
      triggerDeadLetters: triggers.deadLetters,
      deliveries,
      functions: this.functions,
      tables,
      indexes: INDEXES,
    });
    // The local engine has no alarms.
    const observe = config.local ? undefined : new Observe(this, "Observe", config, observed());

    this.deployments = new Deployments(this, "Deployments", parts, origin);
    this.url = url;
    this.api = api.api;
    this.jobsTable = jobs.table;
    this.objectsTable = objects.table;
    this.bucket = storage.bucket;
    this.queues = { normal: queue.queue, high: queue.high, deadLetters: queue.deadLetters };
    this.noticesTopic = notices.topic;
    this.userPool = people.signIn?.pool;
    this.outputs = {
      Url: url,
      ApiId: api.api.restApiId,
      ...(people.signIn ? { UserPoolId: people.signIn.pool.userPoolId } : {}),
      JobsTable: jobs.table.tableName,
      ObjectsTable: objects.table.tableName,
      Bucket: storage.bucket.bucketName,
      QueueUrl: queue.queue.queueUrl,
      HighQueueUrl: queue.high.queueUrl,
      DeadLetterQueueUrl: queue.deadLetters.queueUrl,
      TriggerQueueUrl: triggers.queue.queueUrl,
      TriggerDeadLetterQueueUrl: triggers.deadLetters.queueUrl,
      ...(triggers.mailTopicArn ? { MailTopic: triggers.mailTopicArn } : {}),
      ReceiveFunction: receive.functionName,
      ConnectFunction: connect.functionName,
      SetupFunction: setup.functionName,
      HousekeepingFunction: housekeeping.functionName,
      WorkerFunction: worker.functionName,
      StepFunction: step.functionName,
      StreamFunction: stream.functionName,
      RoutesFunction: routes.functionName,
      ApproveFunction: approve.functionName,
      DeadLetterFunction: deadLetter.functionName,
      RunnerFunctions: runners.names(),
      BuildFunction: build.fn.functionName,
      DeliverFunction: deliver.functionName,
      DeliveryQueueUrl: deliveries.fast.queueUrl,
      SlowDeliveryQueueUrl: deliveries.slow.queueUrl,
      NoticesTopic: notices.topic.topicArn,
      ...(observe?.dashboard ? { DashboardName: observe.dashboard.dashboardName } : {}),
      ...(observe ? { RollbackAlarms: observe.rollbackAlarms } : {}),
    };
  }

  /**
   * Deploys the files of a folder into a workspace, as `svc sync push` does (docs/sync.md): the items that the app has changed since its last deployment.
   * Items that only the workspace has changed remain. The deployment fails if both have changed an item.
   */
  addFolder(folder: string, options: FolderOptions): void {
    this.deployments.addFolder(folder, options);
  }

  /** Deploys a script into a workspace. */
  addScript(options: ScriptOptions): void {
    this.deployments.addScript(options);
  }

  /** Deploys a flow into a workspace. */
  addFlow(options: FlowOptions): void {
    this.deployments.addFlow(options);
  }
}

/** Throws an error if another service of the app would use the same names: the stacks could not both be deployed. */
function requireFreeName(svc: Svc, name: string): void {
  const { account, region } = Stack.of(svc);
  const places = svc.node.root.node.findAll().filter((each) => each instanceof Svc && each !== svc && each.name === name);
  if (places.some((other) => Stack.of(other).account === account && Stack.of(other).region === region))
    throw new Error(`Two services of this app have the name ${name}. Set the property name of one.`);
}

/** Adds the public address of a deployment without CloudFront. Returns that address, and the one that needs no records. */
function addOrigin(scope: Construct, config: StackConfig, api: RestApi): { url: string; origin: string } {
  if (!config.local) return new RegionalOrigin(scope, "Edge", config, api);
  const url = requireLocalUrl(config);
  return { url, origin: config.internalUrl ?? url };
}

function requireLocalUrl({ baseUrl }: StackConfig): string {
  if (!baseUrl) throw new Error("A local deployment needs svc.baseUrl, because it has no CloudFront distribution.");
  return baseUrl;
}
