import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { UPLOAD_PREFIX } from "../../contract/deployment/edge-function.ts";
import { env } from "../../contract/env.ts";
import { divideConcurrency } from "../compute/concurrency.ts";
import { hasEdge, type StackConfig } from "../config.ts";
import { addFunction, type StackParts } from "./add-function.ts";
import { grantCancellation, listAllowedRanges } from "./capabilities.ts";

/** The functions that answer requests and run no jobs. */
export function addApiFunctions(
  parts: StackParts,
  { step, connect }: Record<"step" | "connect", LambdaFunction>,
): Record<"objects" | "sync" | "triggers" | "jobs" | "people" | "console" | "api" | "approve" | "chat" | "web", LambdaFunction> {
  const { config, url, jobs, objects, storage, secrets, queue, people, logins, deliveries, flows, triggers } = parts;
  const reserved = reservedConcurrencyOf(config);
  const objectsFn = addFunction(
    parts,
    "objects",
    {
      id: "ObjectsApi",
      description: "svc: stored objects: scripts, flows, apps, variables, resources and files",
      memoryMb: 1024,
      timeoutS: 30,
      reservedConcurrency: reserved.objects,
    },
    (fn) => {
      fn.addEnvironment(env.baseUrl, url);
      // API Gateway itself does not pass uploads on to the bucket. The front server of the local engine does.
      if (config.local || hasEdge(config)) fn.addEnvironment(env.uploadsUrl, `${url}${UPLOAD_PREFIX}`);
      fn.addEnvironment(env.egressAllow, listAllowedRanges(config));
      objects.allowWrite(fn);
      // Jobs that build versions, and notes of the secrets that a job reads.
      jobs.allowMoveJobs(fn);
      queue.allowSend(fn);
      // Files of jobs are in the folder of jobs.
      storage.allowRead(fn, "jobs", "scripts", "flows", "apps", "files", "artefacts");
      storage.allowWrite(fn, "jobs", "scripts", "flows", "apps", "files");
      storage.allowDelete(fn, "jobs", "scripts", "flows", "apps", "files");
      storage.allowUploadParts(fn, "files");
      secrets.allowSeal(fn);
      secrets.allowAccounts(fn);
      secrets.allowMakeRouteCopies(fn);
      secrets.allowMakeChatCopies(fn);
      flows.provideMachineNames(fn, config);
      flows.provideStep(fn, step);
    },
  );
  const sync = addFunction(
    parts,
    "sync",
    {
      description: "svc: archives of workspaces",
      // An archive and its zipped copy are in memory.
      memoryMb: 1769,
      timeoutS: 30,
      reservedConcurrency: reserved.sync,
    },
    (fn) => {
      objects.allowRead(fn);
      objects.allowTouchTokens(fn);
      objects.allowAudit(fn);
      objects.allowCreateKeyRing(fn);
      // Notes of the secrets that a job reads.
      jobs.allowMoveJobs(fn);
      storage.allowRead(fn, "scripts", "flows", "apps", "archives");
      storage.allowWrite(fn, "archives");
      secrets.allowSeal(fn);
    },
  );
  const triggersFn = addFunction(
    parts,
    "triggers",
    {
      id: "TriggersApi",
      description: "svc: schedules and triggers",
      memoryMb: 1024,
      timeoutS: 30,
      reservedConcurrency: reserved.triggers,
    },
    (fn) => {
      fn.addEnvironment(env.baseUrl, url);
      objects.allowSaveTriggers(fn);
      objects.allowTouchTokens(fn);
      objects.allowAudit(fn);
      // The next run of a schedule is a queued job, and its list shows the last runs.
      jobs.allowScheduleJobs(fn);
      storage.allowWrite(fn, "jobs");
      queue.allowSend(fn);
      triggers.provideNames(fn);
      triggers.allowInvokeConnect(fn, connect);
    },
  );
  const jobsFn = addFunction(
    parts,
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
      grantCancellation(parts, fn);
      storage.allowRead(fn, "jobs", "flows");
      storage.allowDelete(fn, "jobs");
      objects.allowRead(fn);
      objects.allowTouchTokens(fn);
      objects.allowAudit(fn);
      objects.allowSaveInputs(fn);
      objects.allowShareRuns(fn);
      objects.allowBulkActions(fn);
      // The holder of a link to an approval reads its flow.
      objects.allowLinkKeys(fn);
      secrets.allowLinks(fn);
      flows.provideMachineNames(fn, config);
      fn.addEnvironment(env.runnerMemory, String(config.runnerMemoryMb));
    },
  );
  const peopleFn = addFunction(
    parts,
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
      // OpenAPI documents name the address of routes.
      if (!config.local && config.routesDomain) fn.addEnvironment(env.routesUrl, `https://${config.routesDomain.name}`);
      fn.addEnvironment(env.instanceEvents, config.instanceEventsWebhook);
      objects.allowWrite(fn);
      people.allowSignIn(fn);
      logins?.allowSignIn(fn);
      secrets.allowLoginKey(fn);
      // The token endpoints of other services.
      fn.addEnvironment(env.egressAllow, listAllowedRanges(config));
      // Replays of deliveries.
      deliveries.allowSend(fn);
      // Archiving a workspace cancels its jobs.
      grantCancellation(parts, fn);
      // A new folder with the name of a deleted one inherits its files.
      storage.allowList(fn);
    },
  );
  const consoleFn = addFunction(
    parts,
    "console",
    {
      description: "svc: what users store for the console, and the search",
      // A search parses the index of the workspace.
      memoryMb: 1769,
      timeoutS: 30,
      reservedConcurrency: reserved.console,
    },
    (fn) => {
      fn.addEnvironment(env.baseUrl, url);
      objects.allowSaveConsole(fn);
      // Large sources.
      storage.allowRead(fn, "scripts", "flows");
      objects.allowTouchTokens(fn);
      objects.allowAudit(fn);
    },
  );
  const api = addFunction(
    parts,
    "api",
    { description: "svc: API reference and health", memoryMb: 512, timeoutS: 30, reservedConcurrency: reserved.api },
    (fn) => {
      fn.addEnvironment(env.baseUrl, url);
      objects.allowGetItem(fn);
    },
  );
  const approve = addFunction(
    parts,
    "approve",
    { description: "svc: approvals", memoryMb: 512, timeoutS: 30, reservedConcurrency: divideConcurrency(config).reserved.approve },
    (fn) => {
      fn.addEnvironment(env.baseUrl, url);
      objects.allowRead(fn);
      objects.allowApprove(fn);
      jobs.allowCheckJobs(fn);
      objects.allowTouchTokens(fn);
      jobs.allowMoveJobs(fn);
      storage.allowRead(fn, "jobs", "flows");
      storage.allowWrite(fn, "jobs");
      secrets.allowLinks(fn);
      secrets.allowCheckRecord(fn);
      secrets.allowWebhooks(fn);
      flows.allowResume(fn);
    },
  );
  const chat = addFunction(
    parts,
    "chat",
    { description: "svc: calls of chat applications", memoryMb: 1024, timeoutS: 10, reservedConcurrency: reserved.chat },
    (fn) => {
      fn.addEnvironment(env.baseUrl, url);
      fn.addEnvironment(env.egressAllow, listAllowedRanges(config));
      objects.allowReadChatCopies(fn);
      secrets.allowOpenChatCopies(fn);
      // Only that function has the right to decide.
      fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [approve.functionArn] }));
      fn.addEnvironment(env.approveFunction, approve.functionName);
    },
  );
  const web = addFunction(parts, "web", { description: "svc: pages of the console", memoryMb: 256, timeoutS: 10 }, (fn) => {
    fn.addEnvironment(env.baseUrl, url);
  });
  return { objects: objectsFn, sync, triggers: triggersFn, jobs: jobsFn, people: peopleFn, console: consoleFn, api, approve, chat, web };
}

/** Divides the reservation of the API among its functions. Reads of jobs are the most frequent requests, so `jobs` also has what remains. */
function reservedConcurrencyOf(config: StackConfig) {
  const total = divideConcurrency(config).reserved.api;
  const objects = Math.floor(total * 0.2);
  const triggers = Math.floor(total * 0.1);
  const people = Math.floor(total * 0.2);
  const console = Math.floor(total * 0.1);
  const api = Math.floor(total * 0.06);
  const sync = Math.floor(total * 0.06);
  const chat = Math.floor(total * 0.04);
  return { objects, sync, triggers, people, console, api, chat, jobs: total - objects - sync - triggers - people - console - api - chat };
}
