import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { type Message, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { inject } from "vitest";
import { concurrencyTable } from "../../../aws/dynamodb/concurrency-table.ts";
import { jobTable } from "../../../aws/dynamodb/job-table.ts";
import { scanObjects } from "../../../aws/dynamodb/object-scan.ts";
import { objectTable } from "../../../aws/dynamodb/object-table.ts";
import { scheduleTable } from "../../../aws/dynamodb/schedule-table.ts";
import { chats } from "../../../aws/http/chats/chats.ts";
import { discordFiles } from "../../../aws/http/chats/discord-files.ts";
import { slack } from "../../../aws/http/chats/slack.ts";
import { teams } from "../../../aws/http/chats/teams.ts";
import { anchorKey } from "../../../aws/kms/anchor-key.ts";
import { accountKeys, chatKeys, dataKeys, httpRouteKeys, linkKeys, webhookKeys } from "../../../aws/kms/data-keys.ts";
import { storage } from "../../../aws/s3/storage.ts";
import { queue } from "../../../aws/sqs/queue.ts";
import { env } from "../../../contract/env.ts";
import type { BuildRequest, BuildResult } from "../../../core/builds/build.ts";
import type { ChatContentRequest, ChatDecision, ChatFormRequest, ChatPost } from "../../../core/chats/chat-call.ts";
import type { TeamsChange } from "../../../core/chats/teams/teams-place.ts";
import type { TeamsPost } from "../../../core/chats/teams/teams-post.ts";
import { connectBulk } from "../../../functions/shared/wiring/continue-bulk.ts";
import { jobData } from "../../../functions/shared/wiring/job-data.ts";
import { jobExecutors } from "../../../functions/shared/wiring/job-executors.ts";
import { startFollowUps } from "../../../functions/shared/wiring/start-follow-ups.ts";
import type { ExecutionName, Executions, StateMachines } from "../../../ports/executions.ts";
import type { Functions, Invocation } from "../../../ports/functions.ts";
import type { QueuedDelivery } from "../../../ports/queues.ts";
import type { RunRequest } from "../../../runners/protocol.ts";
import { decideInChat, showInChat } from "../../../services/chats/decide-in-chat.ts";
import { postInChat } from "../../../services/chats/post-message.ts";
import { sendTeamsPost } from "../../../services/chats/teams/send-post.ts";
import { storeInstallation } from "../../../services/chats/teams/store-installation.ts";
import { flowCancellation } from "../../../services/flows/lifecycle/cancel.ts";
import { connectGatedFlows } from "../../../services/flows/runtime/waiting/gated-flows.ts";
import { connectOutcomeHandlers } from "../../../services/outcome-handlers/follow-ups.ts";
import { countRead, countWrite } from "./failing-writes.ts";
import { createTables } from "./setup/engine-resources.ts";
import { ownClients } from "./setup/quick-clients.ts";

/** An execution of the recording engine. */
export interface RecordedExecution extends ExecutionName {
  input: unknown;
  is: "running" | "ended" | "stopped";
}

/** A message in a delivery queue, which is visible from `dueMs` on (epoch ms). */
export interface WorldMessage extends Required<QueuedDelivery> {
  dueMs: number;
  receives: number;
}

const { privateKey } = generateKeyPairSync("ed25519");

/** A success as a runner reports it. */
export const success = (result: unknown, output = "a line\n"): Invocation => ({
  kind: "outcome",
  outcome: {
    outcome: "success",
    result,
    logs: { offset: 0, text: output },
    timings: { setupMs: 0, runMs: 1, totalMs: 5, freshHost: false },
  },
});

/** A failure of the script as a runner reports it. */
export const failure = (message: string): Invocation => ({
  kind: "outcome",
  outcome: {
    outcome: "failure",
    error: { name: "Error", message },
    logs: { offset: 0, text: "" },
    timings: { setupMs: 0, runMs: 1, totalMs: 5, freshHost: false },
  },
});

/**
 * The dependencies of use cases, over two empty tables and two empty queues of the local engine. DynamoDB, S3, SQS and KMS are real; the
 * clock is the test's; calls that leave the service (runners, builds, Step Functions) are recorded. Environment variables select the
 * tables, so only one world exists at a time.
 */
export async function newWorld() {
  const name = randomUUID();
  const { jobs, objects, queues, deliveries: deliveryUrl } = await createTables(inject("useCases"), name, ownClients);
  process.env[env.jobsTable] = jobs;
  process.env[env.objectsTable] = objects;
  process.env[env.queueUrl] = queues.normal;
  process.env[env.highQueueUrl] = queues.high;
  // Use cases record their deliveries; the handlers of functions send them.
  process.env[env.deliveryQueueUrl] = deliveryUrl;
  process.env[env.slowDeliveryQueueUrl] = deliveryUrl;
  const clock = { nowMs: Date.now() };
  const started: RecordedExecution[] = [];
  const resumed: { token: string; output: object }[] = [];
  const runs: RunRequest[] = [];
  let hasSent = false;
  const deliveries: WorldMessage[] = [];
  const find = ({ machine, job, execution }: ExecutionName) =>
    started.find((one) => one.machine === machine && one.job === job && one.execution === execution);
  const executions = {
    startExecution: (execution: ExecutionName, input: unknown) =>
      countWrite("StartExecution", async () => {
        if (!find(execution)) started.push({ ...execution, input, is: "running" });
        return "started" as const;
      }),
    getExecutionStatus: async (execution: ExecutionName) => {
      const is = find(execution)?.is ?? ("none" as const);
      return { is, reason: is === "stopped" ? "stopped by hand" : "" };
    },
    describeExecution: ({ machine, job, execution }: ExecutionName) => ({ arn: `${machine}:${job}.${execution}` }),
    stopExecution: (execution: ExecutionName) =>
      countWrite("StopExecution", async () => {
        const found = find(execution);
        if (found?.is === "running") found.is = "stopped";
      }),
    sendTaskSuccess: (token: string, output: object) =>
      countWrite("SendTaskSuccess", async () => {
        resumed.push({ token, output });
      }),
  } as unknown as Executions;
  const stateMachines = { deleteIdleStateMachines: async () => 0, deleteStateMachines: async () => true } as unknown as StateMachines;
  const answers = {
    run: async (_request: RunRequest): Promise<Invocation> => success(1),
    build: async (_request: BuildRequest): Promise<BuildResult> => ({ ok: false, error: "This world builds nothing.", log: "" }),
  };
  const functions = {
    invokeRunner: (_language: string, request: RunRequest) =>
      countRead("Invoke", async () => {
        runs.push(request);
        return answers.run(request);
      }),
    invokeBuild: (request: BuildRequest) => answers.build(request),
    createStateMachine: async ({ value }: { value: unknown }) => ({
      machine: `m-${createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 8)}`,
    }),
    requestDecision: (call: ChatDecision | ChatFormRequest) => decideInChat(world.deps, call),
    requestContent: (call: ChatContentRequest) => showInChat(world.deps, call),
    storeTeamsChange: (change: TeamsChange) => storeInstallation(world.deps, change),
    requestPost: (call: ChatPost) => postInChat(world.deps, call),
    postInTeams: (call: TeamsPost) => sendTeamsPost(world.deps, call),
  } as unknown as Functions;
  const sendFollowUp = async (job: Parameters<typeof queue.sendFollowUp>[0]) => {
    await queue.sendFollowUp(job);
    hasSent = true;
  };
  const adapters = {
    followUps: connectOutcomeHandlers({ objects: objectTable, queue: { sendFollowUp }, nowMs: () => clock.nowMs }),
    jobs: jobTable,
    objects: objectTable,
    concurrency: concurrencyTable,
    schedules: scheduleTable,
    storage,
    queue: {
      sendFollowUp,
      async sendMessage(...message: Parameters<typeof queue.sendMessage>) {
        await queue.sendMessage(...message);
        hasSent = true;
      },
      async sendMessages(...messages: Parameters<typeof queue.sendMessages>) {
        hasSent = true;
        return queue.sendMessages(...messages);
      },
      async postponeMessage(...message: Parameters<typeof queue.postponeMessage>) {
        await queue.postponeMessage(...message);
        hasSent = true;
      },
    },
    deliveryQueue: {
      sendDeliveries: (all: readonly QueuedDelivery[]) =>
        countWrite("SendMessageBatch", async () => {
          const messages = all.map(({ message, lane, delayS = 0 }) => ({
            message,
            lane,
            delayS,
            dueMs: clock.nowMs + delayS * 1000,
            receives: 0,
          }));
          deliveries.push(...messages);
          return [];
        }),
    },
    chats,
    slack,
    discord: discordFiles,
    teams,
    dataKeys,
    linkKeys,
    webhookKeys,
    accountKeys,
    httpRouteKeys,
    chatKeys,
    anchorKey,
    scanObjects,
    executions,
    stateMachines,
    functions,
    signingKey: async () => ({ kid: "test", privateKey }),
    deploysTriggerQueue: true,
    nowMs: () => clock.nowMs,
    instanceEventsUrl: undefined as string | undefined,
    baseUrl: "http://svc.test",
    internalUrl: "http://svc.test",
    beatUrl: "http://beat.test",
    worker: "test",
    tenancy: "identity" as "identity" | "workspace",
    waitsForMs: () => 900_000,
    stack: "test",
    target: { os: "linux" as const, arch: "x64" as const, python: "3.11", node: "22" },
    registries: { npm: "", pypi: "", go: "" },
  };
  const world = {
    clock,
    /** The recorded calls that leave the service. */
    started,
    resumed,
    runs,
    /** The messages in the delivery queues. */
    deliveries,
    /** The outcomes of the next runs. */
    answers,
    /** The workspace has a unique id, because modules cache data. */
    workspace: `w-${name.slice(0, 8)}`,
    /** Wired as in the deployed functions. */
    deps: {
      ...adapters,
      ...jobExecutors(adapters),
      startFollowUps: startFollowUps(adapters),
      continueBulk: connectBulk(adapters),
      onJobCanceled: [flowCancellation(adapters)],
      jobData,
      gatedFlows: connectGatedFlows(adapters),
    },
    /** Notes that a message was sent without the dependencies of this world. */
    noteSent(): void {
      hasSent = true;
    },
    /** Whether a message was sent since the last call of this. */
    takeSent(): boolean {
      const had = hasSent;
      hasSent = false;
      return had;
    },
    /** Removes and returns the messages in the queues. */
    async messages(): Promise<{ job: string }[]> {
      const taken: Message[] = [];
      for (const QueueUrl of Object.values(queues)) {
        for (;;) {
          const { Messages = [] } = await ownClients.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
          if (Messages.length === 0) break;
          taken.push(...Messages);
        }
      }
      return taken.map(({ Body = "{}" }) => JSON.parse(Body) as { job: string });
    },
  };
  return world;
}
export type World = Awaited<ReturnType<typeof newWorld>>;
