import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { env } from "../../contract/env.ts";
import { DELIVER_TIMEOUT_S } from "../notifications/delivery-queues.ts";
import { addFunction, type StackParts } from "./add-function.ts";
import { grantFlowStarts, listAllowedRanges } from "./capabilities.ts";

/** The functions that events, queues, the schedule or the owner of the account start. */
export function addBackgroundFunctions(
  parts: StackParts,
  machines: LambdaFunction,
  { receive, connect, objects: objectsFn }: Record<"receive" | "connect" | "objects", LambdaFunction>,
): Record<"deliver" | "housekeeping" | "settle" | "deadLetter" | "remove" | "setup", LambdaFunction> {
  const { config, url, jobs, objects, storage, secrets, queue, people, notices, deliveries, flows, triggers } = parts;
  // The message of each attempt is sent by the attempt before it.
  const delivers = { description: "svc: notifications and events", memoryMb: 512, timeoutS: DELIVER_TIMEOUT_S, mayLoop: true };
  const deliver = addFunction(parts, "deliver", delivers, (fn) => {
    fn.addEnvironment(env.baseUrl, url);
    fn.addEnvironment(env.egressAllow, listAllowedRanges(config));
    // Each lookup of a name occupies one of Node's threads, and there are four by default.
    fn.addEnvironment("UV_THREADPOOL_SIZE", "64");
    objects.configureDeliver(fn, config, deliveries.deadLetters);
    deliveries.configureSend(fn);
    deliveries.configureConsume(fn);
    jobs.configureNotices(fn);
    secrets.configureWebhooks(fn);
    notices.configureDeliver(fn);
  });
  const housekeeping = addFunction(
    parts,
    "housekeeping",
    { description: "svc: due jobs, lost jobs and expired data", memoryMb: 512, timeoutS: 55 },
    (fn) => {
      jobs.configureFindJobs(fn);
      objects.configureSweep(fn);
      objects.configureExpireTokens(fn);
      objects.configureAnchor(fn);
      objects.configureTurnOffSchedules(fn);
      secrets.configureSignRecord(fn);
      // Gates whose time is over, or whose approvers are reminded.
      objects.configureApprove(fn);
      jobs.configureCheckJobs(fn);
      // A deleted workspace leaves nothing.
      storage.configureDelete(fn, "jobs", "files", "scripts", "flows", "apps", "artefacts");
      flows.configureRemove(fn);
      queue.configureSend(fn);
      deliveries.configureSend(fn);
      objects.configureRequestConnections(fn);
      triggers.configureHaveConnected(fn, connect);
      triggers.configureHavePolled(fn, receive);
      // Function `objects` refreshes the tokens of accounts, because it may open secrets.
      fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [objectsFn.functionArn] }));
      fn.addEnvironment(env.objectsFunction, objectsFn.functionName);
      // Flows whose execution was lost go on.
      storage.configureRead(fn, "jobs", "flows");
      storage.configureWrite(fn, "jobs");
      grantFlowStarts(parts, fn, machines);
      flows.configureLook(fn);
      flows.configureResume(fn);
      flows.configureStop(fn);
    },
  );
  const settle = addFunction(
    parts,
    "settle",
    { description: "svc: flows whose executions have ended", memoryMb: 512, timeoutS: 60 },
    (fn) => {
      jobs.configureMoveJobs(fn);
      // The handlers of the workspace, which follow the end of a flow.
      objects.configureReadHandlers(fn);
      storage.configureRead(fn, "jobs", "flows");
      storage.configureWrite(fn, "jobs");
      queue.configureSend(fn);
      grantFlowStarts(parts, fn, machines);
      // Why an execution was stopped.
      flows.configureLook(fn);
      flows.configureResume(fn);
      flows.configureStop(fn);
      flows.configureHear(fn);
    },
  );
  // Its messages start jobs, whose messages may fail again.
  const handles = { description: "svc: dead letters", memoryMb: 512, timeoutS: 60, mayLoop: true };
  const deadLetter = addFunction(parts, "dead-letter", handles, (fn) => {
    jobs.configureMoveJobs(fn);
    // The handlers of the workspace, which follow the end of a job.
    objects.configureReadHandlers(fn);
    queue.configureSend(fn);
    queue.configureConsumeDeadLetters(fn);
    // A job that ends here may be the step of a flow, which then continues.
    storage.configureRead(fn, "jobs", "flows");
    grantFlowStarts(parts, fn, machines);
    flows.configureResume(fn);
  });
  const remove = addFunction(parts, "remove", { description: "svc: data of expired jobs", memoryMb: 512, timeoutS: 900 }, (fn) => {
    jobs.configureRemoveExpired(fn, config);
    storage.configureRemoveExpired(fn);
  });
  const setup = addFunction(parts, "setup", { description: "svc: creates the first administrator", memoryMb: 512, timeoutS: 60 }, (fn) => {
    fn.addEnvironment(env.instanceEvents, config.instanceEventsWebhook);
    objects.configureWrite(fn);
    people.configureCreatePeople(fn);
  });
  return { deliver, housekeeping, settle, deadLetter, remove, setup };
}
