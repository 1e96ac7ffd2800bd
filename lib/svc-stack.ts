import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { Api } from "./api/api.ts";
import { Edge, RoutesEdge } from "./api/edge.ts";
import { Build } from "./compute/build.ts";
import { type Bundle, bundleOf } from "./compute/bundle.ts";
import { JobQueue } from "./compute/job-queue.ts";
import { Runners } from "./compute/runners.ts";
import { Tick } from "./compute/schedule.ts";
import { ServiceFunction } from "./compute/service-function.ts";
import type { StackConfig } from "./config.ts";
import { StateMachines } from "./flows/state-machines.ts";
import { addApiFunctions } from "./functions/api-functions.ts";
import { addBackgroundFunctions } from "./functions/background-functions.ts";
import { addExecutionFunctions } from "./functions/execution-functions.ts";
import { addTriggerFunctions } from "./functions/trigger-functions.ts";
import { DeliveryQueues } from "./notifications/delivery-queues.ts";
import { Notices } from "./notifications/notifications.ts";
import { Observe } from "./observability/observe.ts";
import { Logins } from "./people/logins.ts";
import { People } from "./people/people.ts";
import { Signing } from "./people/signing.ts";
import { Storage } from "./storage/bucket.ts";
import { INDEXES, JobsTable } from "./storage/jobs-table.ts";
import { Keys } from "./storage/keys.ts";
import { ObjectsTable } from "./storage/objects-table.ts";
import { protectsData } from "./storage/retention.ts";
import { Triggers } from "./triggers/triggers.ts";

export interface SvcStackProps extends StackProps {
  readonly config: StackConfig;
  readonly bundles: readonly Bundle[];
}

/** The whole service: the constructs that own resources, and the functions of lib/functions with the capabilities that those constructs grant. */
export class SvcStack extends Stack {
  constructor(scope: Construct, id: string, { config, bundles, ...props }: SvcStackProps) {
    super(scope, id, {
      stackName: config.stackName,
      terminationProtection: protectsData(config),
      description: "svc: workflow automation that scales to zero",
      ...props,
    });
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
    const url = config.local ? requireLocalUrl(config) : new Edge(this, "Edge", config, api.api).url;

    if (!config.local && config.routesDomain) new RoutesEdge(this, "RoutesEdge", config.routesDomain, api.api);

    const logins = config.logins.length > 0 ? new Logins(this, "Logins", { config, pool: people.signIn?.pool, url }) : undefined;
    const parts = {
      stack: this,
      ...{
        config,
        bundles,
        url,
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
    });

    api.route({ run, routes, stream, approve, ...answering });
    new Tick(this, "Tick", housekeeping);
    // All functions are found and not listed, so that no new one is without an alarm.
    const functions = new Map(
      this.node.findAll().flatMap((each) => (each instanceof ServiceFunction ? [[each.name, each.fn] as const] : [])),
    );
    const tables = { jobs: jobs.table, objects: objects.table };
    const observed = {
      stackName: config.stackName,
      api: api.api,
      queues: queue,
      triggerDeadLetters: triggers.deadLetters,
      unremoved: jobs.unremoved,
      deliveries,
      functions,
      tables,
      indexes: INDEXES,
    };
    const observe = config.local ? undefined : new Observe(this, "Observe", config, observed);

    this.output({
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
      ...(observe ? { DashboardName: observe.dashboard.dashboardName, RollbackAlarms: observe.rollbackAlarms } : {}),
    });
  }

  private output(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}

function requireLocalUrl({ baseUrl }: StackConfig): string {
  if (!baseUrl) throw new Error("A local deployment needs svc.baseUrl, because it has no CloudFront distribution.");
  return baseUrl;
}
