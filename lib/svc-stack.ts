import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { env } from "../contract/env.ts";
import { Api } from "./api/api.ts";
import { Edge, edgeKey } from "./api/edge.ts";
import { Build } from "./compute/build.ts";
import { type Bundle, bundleOf } from "./compute/bundle.ts";
import { JobQueue } from "./compute/job-queue.ts";
import { Runners } from "./compute/runners.ts";
import { Tick } from "./compute/schedule.ts";
import { ServiceFunction } from "./compute/service-function.ts";
import type { StackConfig } from "./config.ts";
import { StateMachines } from "./flows/state-machines.ts";
import { Notices } from "./notifications/notifications.ts";
import { Observe } from "./observability/observe.ts";
import { Logins } from "./people/logins.ts";
import { People } from "./people/people.ts";
import { Signing } from "./people/signing.ts";
import { Storage } from "./storage/bucket.ts";
import { JobsTable } from "./storage/jobs-table.ts";
import { Keys } from "./storage/keys.ts";
import { ObjectsTable } from "./storage/objects-table.ts";

interface FunctionSize {
  /** The construct's id where it is not the function's name: a table or the user pool has that id. */
  readonly id?: string;
  readonly description: string;
  readonly memoryMb: number;
  readonly timeoutS: number;
  readonly reservedConcurrency?: number;
}

export interface SvcStackProps extends StackProps {
  readonly config: StackConfig;
  readonly bundles: readonly Bundle[];
}

/** The whole service. Each function below is its size and its list of capabilities; what it is not given, it cannot do. */
export class SvcStack extends Stack {
  private readonly config: StackConfig;
  private readonly bundles: readonly Bundle[];

  constructor(scope: Construct, id: string, { config, bundles, ...props }: SvcStackProps) {
    super(scope, id, { description: "svc: workflow automation that scales to zero", ...props });
    this.config = config;
    this.bundles = bundles;

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
    const flows = new StateMachines(this, "StateMachines");
    const api = new Api(this, "Gateway", config);
    const url = config.local ? requireLocalUrl(config) : new Edge(this, "Edge", config, api.api).url;

    const logins = config.logins.length > 0 ? new Logins(this, "Logins", { config, pool: people.signIn?.pool, url }) : undefined;

    /** The capabilities for running a job, in `run` (synchronous) and in `worker` (asynchronous). */
    const executes = (fn: LambdaFunction) => {
      fn.addEnvironment(env.baseUrl, url);
      fn.addEnvironment(env.internalUrl, config.internalUrl ?? url);
      jobs.configureMoveJobs(fn);
      storage.configureRead(fn, "jobs", "artefacts");
      storage.configureWrite(fn, "jobs");
      signing.configureSign(fn);
      runners.configureInvoke(fn);
      queue.configureSend(fn);
    };

    /** The capabilities for jobs of every kind. */
    const works = (fn: LambdaFunction) => {
      executes(fn);
      objects.configureWrite(fn);
      secrets.configureUnseal(fn);
      // Only the metadata of files, to detect changes.
      storage.configureRead(fn, "scripts", "flows", "files");
      storage.configureWrite(fn, "artefacts", "flows");
      build.configureInvoke(fn);
      flows.configureStart(fn);
      flows.configureResume(fn);
      fn.addEnvironment(env.buildTarget, JSON.stringify(buildTarget(config)));
      fn.addEnvironment(env.registries, JSON.stringify(config.registries));
    };
    const step = this.fn("step", { description: "svc: steps of flows", memoryMb: 512, timeoutS: 900 }, (fn) => {
      works(fn);
      flows.configureStep(fn);
      // Stops the execution of a flow that exceeded its time limit.
      flows.configureStop(fn);
    });
    const machines = this.fn("flows", { description: "svc: creates state machines", memoryMb: 512, timeoutS: 60 }, (fn) =>
      flows.configureMake(fn, step),
    );
    /** For what comes from the queue or is looked at again: the flow's machine may not be there yet. */
    const startsFlows = (fn: LambdaFunction) => {
      flows.configureStart(fn);
      fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [machines.functionArn] }));
      fn.addEnvironment(env.flowsFunction, machines.functionName);
    };
    const worker = this.fn("worker", { description: "svc: runs queued jobs", memoryMb: 512, timeoutS: 900 }, (fn) => {
      works(fn);
      startsFlows(fn);
      queue.configureConsume(fn);
    });
    const run = this.fn("run", { description: "svc: run routes", memoryMb: 1024, timeoutS: 30 }, (fn) => {
      executes(fn);
      fn.addEnvironment(env.includeHeaders, config.includeHeaders);
      // A call's queue_limit counts what waits.
      jobs.configureCountJobs(fn);
      // Erases data after the reply, as the script specifies.
      storage.configureDelete(fn, "jobs");
      objects.configureRead(fn);
      objects.configurePublishKey(fn);
      objects.configureTouchTokens(fn);
      objects.configureIdempotency(fn);
      // For arguments with references: what strangers send is not read where secrets are.
      fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [worker.functionArn] }));
      fn.addEnvironment(env.workerFunction, worker.functionName);
    });
    const stream = this.fn("stream", { description: "svc: streams of runs and job updates", memoryMb: 512, timeoutS: 900 }, (fn) => {
      fn.addEnvironment(env.baseUrl, url);
      fn.addEnvironment(env.includeHeaders, config.includeHeaders);
      objects.configureRead(fn);
      objects.configureTouchTokens(fn);
      objects.configureIdempotency(fn);
      jobs.configureMoveJobs(fn);
      jobs.configureCountJobs(fn);
      storage.configureRead(fn, "jobs", "flows");
      storage.configureWrite(fn, "jobs");
      queue.configureSend(fn);
    });
    const reserved = reservedConcurrencyOf(config);

    /** The capabilities for canceling jobs, with the flows that they run. */
    const cancels = (fn: LambdaFunction) => {
      jobs.configureFindJobs(fn);
      storage.configureRead(fn, "jobs", "flows");
      storage.configureWrite(fn, "jobs");
      queue.configureSend(fn);
      flows.configureResume(fn);
      flows.configureStop(fn);
    };
    const objectsFn = this.fn(
      "objects",
      {
        id: "ObjectsApi",
        description: "svc: stored objects: scripts, flows, variables, resources and files",
        memoryMb: 1024,
        timeoutS: 30,
        reservedConcurrency: reserved.objects,
      },
      (fn) => {
        fn.addEnvironment(env.baseUrl, url);
        fn.addEnvironment(env.egressAllow, egressAllow(config));
        objects.configureWrite(fn);
        // Jobs that build versions, and notes of the secrets that a job reads.
        jobs.configureMoveJobs(fn);
        queue.configureSend(fn);
        // Files of jobs are in the folder of jobs.
        storage.configureRead(fn, "jobs", "scripts", "flows", "files");
        storage.configureWrite(fn, "jobs", "scripts", "flows", "files");
        storage.configureDelete(fn, "jobs", "scripts", "flows", "files");
        secrets.configureSeal(fn);
        flows.configureShow(fn, config);
        flows.configureDescribe(fn, step);
      },
    );
    const jobsFn = this.fn(
      "jobs",
      {
        id: "JobsApi",
        description: "svc: lists, results and cancellation of jobs",
        memoryMb: 1024,
        timeoutS: 30,
        reservedConcurrency: reserved.jobs,
      },
      (fn) => {
        fn.addEnvironment(env.baseUrl, url);
        cancels(fn);
        storage.configureDelete(fn, "jobs");
        objects.configureRead(fn);
        objects.configureTouchTokens(fn);
        objects.configureAudit(fn);
        // The holder of a link to an approval reads its flow.
        objects.configureLinkKeys(fn);
        secrets.configureLinks(fn);
        flows.configureShow(fn, config);
      },
    );
    const peopleFn = this.fn(
      "people",
      {
        id: "PeopleApi",
        description: "svc: workspaces, users and permissions",
        memoryMb: 1024,
        timeoutS: 30,
        reservedConcurrency: reserved.people,
      },
      (fn) => {
        fn.addEnvironment(env.baseUrl, url);
        if (!config.local) fn.addEnvironment(env.edgeKey, edgeKey(this));
        objects.configureWrite(fn);
        people.configureSignIn(fn);
        logins?.configureSignIn(fn);
        secrets.configureLoginKey(fn);
        // Archiving a workspace cancels its jobs.
        cancels(fn);
      },
    );
    const apiFn = this.fn(
      "api",
      { description: "svc: API reference and health", memoryMb: 512, timeoutS: 30, reservedConcurrency: reserved.api },
      (fn) => {
        fn.addEnvironment(env.baseUrl, url);
        objects.configureGetItem(fn);
      },
    );
    const approve = this.fn(
      "approve",
      { description: "svc: approvals", memoryMb: 512, timeoutS: 30, reservedConcurrency: config.reservedConcurrency },
      (fn) => {
        fn.addEnvironment(env.baseUrl, url);
        objects.configureRead(fn);
        objects.configureApprove(fn);
        objects.configureTouchTokens(fn);
        jobs.configureMoveJobs(fn);
        storage.configureRead(fn, "jobs", "flows");
        storage.configureWrite(fn, "jobs");
        secrets.configureLinks(fn);
        secrets.configureCheckRecord(fn);
        secrets.configureWebhooks(fn);
        flows.configureResume(fn);
      },
    );
    const web = this.fn("web", { description: "svc: pages of the console", memoryMb: 256, timeoutS: 10 }, () => {});
    const beat = this.fn(
      "beat",
      {
        description: "svc: heartbeats and reports of runners",
        memoryMb: 512,
        timeoutS: 30,
        reservedConcurrency: config.reservedConcurrency,
      },
      (fn) => {
        // The public key that checks tokens of jobs.
        objects.configureGetItem(fn);
        jobs.configureBeat(fn);
        // The end of a run joins its stream, of which beats have stored parts, with its result.
        storage.configureGet(fn, "jobs");
        storage.configureWrite(fn, "jobs");
      },
    );
    const deliver = this.fn("deliver", { description: "svc: notifications of approvals", memoryMb: 512, timeoutS: 60 }, (fn) => {
      fn.addEnvironment(env.baseUrl, url);
      fn.addEnvironment(env.egressAllow, egressAllow(config));
      objects.configureNotices(fn, config);
      jobs.configureNotices(fn);
      secrets.configureWebhooks(fn);
      notices.configureDeliver(fn);
    });
    const housekeeping = this.fn(
      "housekeeping",
      { description: "svc: due jobs, lost jobs and expired data", memoryMb: 512, timeoutS: 55 },
      (fn) => {
        jobs.configureFindJobs(fn);
        objects.configureSweep(fn);
        objects.configureAnchor(fn);
        secrets.configureSignRecord(fn);
        // Gates whose time is over, or whose approvers are reminded.
        objects.configureApprove(fn);
        // A deleted workspace leaves nothing.
        storage.configureDelete(fn, "jobs", "files", "scripts", "flows", "artefacts");
        flows.configureRemove(fn);
        queue.configureSend(fn);
        notices.configureHaveDelivered(fn, deliver);
        // Flows whose execution was lost go on.
        storage.configureRead(fn, "jobs", "flows");
        storage.configureWrite(fn, "jobs");
        startsFlows(fn);
        flows.configureLook(fn);
        flows.configureResume(fn);
        flows.configureStop(fn);
      },
    );
    this.fn("settle", { description: "svc: flows whose executions have ended", memoryMb: 512, timeoutS: 60 }, (fn) => {
      jobs.configureMoveJobs(fn);
      storage.configureRead(fn, "jobs", "flows");
      storage.configureWrite(fn, "jobs");
      queue.configureSend(fn);
      startsFlows(fn);
      // Why an execution was stopped.
      flows.configureLook(fn);
      flows.configureResume(fn);
      flows.configureStop(fn);
      flows.configureHear(fn);
    });
    const deadLetter = this.fn("dead-letter", { description: "svc: dead letters", memoryMb: 512, timeoutS: 60 }, (fn) => {
      jobs.configureMoveJobs(fn);
      queue.configureSend(fn);
      queue.configureConsumeDeadLetters(fn);
      // A job that ends here may be the step of a flow, which then continues.
      storage.configureRead(fn, "jobs", "flows");
      startsFlows(fn);
      flows.configureResume(fn);
    });
    const setup = this.fn("setup", { description: "svc: creates the first administrator", memoryMb: 512, timeoutS: 60 }, (fn) => {
      objects.configureWrite(fn);
      people.configureCreatePeople(fn);
    });

    api.route({ run, stream, objects: objectsFn, jobs: jobsFn, people: peopleFn, api: apiFn, beat, approve, web });
    new Tick(this, "Tick", housekeeping);
    const observed = { api: api.api, jobs: queue, runners: runners.functions, housekeeping };
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
      SetupFunction: setup.functionName,
      HousekeepingFunction: housekeeping.functionName,
      WorkerFunction: worker.functionName,
      StepFunction: step.functionName,
      ApproveFunction: approve.functionName,
      DeadLetterFunction: deadLetter.functionName,
      RunnerFunctions: runners.names(),
      BuildFunction: build.fn.functionName,
      DeliverFunction: deliver.functionName,
      NoticesTopic: notices.topic.topicArn,
      ...(observe ? { DashboardName: observe.dashboard.dashboardName } : {}),
    });
  }

  private fn(name: string, { id = pascal(name), ...size }: FunctionSize, configure: (fn: LambdaFunction) => void): LambdaFunction {
    const bundle = bundleOf(this.bundles, "functions", name);
    const { fn } = new ServiceFunction(this, id, { config: this.config, bundle, ...size });
    configure(fn);
    return fn;
  }

  private output(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}

/** Divides the reservation of the API among its functions. Reads of jobs are the most frequent requests, so `jobs` also has what remains. */
function reservedConcurrencyOf({ local, reservedConcurrency }: StackConfig) {
  // The local engine has no limit of an account, so a reservation would only be a ceiling there.
  const total = local ? 0 : reservedConcurrency;
  const objects = Math.floor(total * 0.3);
  const people = Math.floor(total * 0.2);
  const api = Math.floor(total * 0.1);
  return { objects, people, api, jobs: total - objects - people - api };
}

function buildTarget(config: StackConfig): NonNullable<StackConfig["buildTarget"]> {
  return config.buildTarget ?? { os: "linux", arch: config.arch, python: "3.14", node: "24" };
}

/** On the developer's own machine, services under test are on the machine itself. */
function egressAllow(config: StackConfig): string {
  return config.egressAllow ?? (config.local ? "127.0.0.0/8,::1/128" : "");
}

function requireLocalUrl({ baseUrl }: StackConfig): string {
  if (!baseUrl) throw new Error("A local deployment needs svc.baseUrl, because it has no CloudFront distribution.");
  return baseUrl;
}

function pascal(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}
