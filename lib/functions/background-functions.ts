import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { env } from "../../contract/env.ts";
import { workspaceFolders } from "../../contract/retention.ts";
import { DELIVER_TIMEOUT_S } from "../notifications/delivery-queues.ts";
import { addFunction, type StackParts } from "./add-function.ts";
import { grantFlowStarts, listAllowedRanges } from "./capabilities.ts";

/** The functions that events, queues, the schedule or the owner of the account start. */
export function addBackgroundFunctions(
  parts: StackParts,
  machines: LambdaFunction,
  { receive, connect, objects: objectsFn, approve }: Record<"receive" | "connect" | "objects" | "approve", LambdaFunction>,
): Record<"deliver" | "housekeeping" | "settle" | "deadLetter" | "remove" | "setup", LambdaFunction> {
  const { config, url, jobs, objects, storage, secrets, queue, people, notices, deliveries, flows, triggers } = parts;
  // The message of each attempt is sent by the attempt before it.
  const delivers = { description: "svc: notifications and events", memoryMb: 512, timeoutS: DELIVER_TIMEOUT_S, mayLoop: true };
  const deliver = addFunction(parts, "deliver", delivers, (fn) => {
    fn.addEnvironment(env.baseUrl, url);
    fn.addEnvironment(env.egressAllow, listAllowedRanges(config));
    // Each lookup of a name occupies one of Node's threads, and there are four by default.
    fn.addEnvironment("UV_THREADPOOL_SIZE", "64");
    objects.allowDeliver(fn, config, deliveries.deadLetters);
    deliveries.allowSend(fn);
    deliveries.allowConsume(fn);
    jobs.allowDeliveryResults(fn);
    secrets.allowWebhooks(fn);
    secrets.allowOpenChatCopies(fn);
    notices.allowSend(fn);
  });
  // Only `deliver` can post in chats.
  approve.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [deliver.functionArn] }));
  approve.addEnvironment(env.deliverFunction, deliver.functionName);
  const housekeeping = addFunction(
    parts,
    "housekeeping",
    { description: "svc: due jobs, lost jobs and expired data", memoryMb: 512, timeoutS: 55 },
    (fn) => {
      jobs.allowFindJobs(fn);
      objects.allowSweep(fn);
      objects.allowExpireTokens(fn);
      objects.allowAnchors(fn);
      objects.allowTurnOffSchedules(fn);
      secrets.allowSignRecord(fn);
      // Gates that have timed out, or whose approvers are reminded.
      objects.allowApprove(fn);
      jobs.allowCheckJobs(fn);
      // Nothing of a deleted workspace remains.
      storage.allowDelete(fn, "jobs", ...workspaceFolders);
      flows.allowDelete(fn);
      queue.allowSend(fn);
      deliveries.allowSend(fn);
      objects.allowRequestConnections(fn);
      triggers.allowInvokeConnect(fn, connect);
      triggers.allowInvokeReceive(fn, receive);
      // Function `objects` refreshes the tokens of accounts and continues rotations of keys, because it may open secrets.
      fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [objectsFn.functionArn] }));
      fn.addEnvironment(env.objectsFunction, objectsFn.functionName);
      // Restarts flows whose execution was lost.
      storage.allowRead(fn, "jobs", "flows");
      storage.allowWrite(fn, "jobs");
      grantFlowStarts(parts, fn, machines);
      flows.allowDescribe(fn);
      flows.allowResume(fn);
      flows.allowStop(fn);
    },
  );
  const settle = addFunction(
    parts,
    "settle",
    { description: "svc: flows whose executions have ended", memoryMb: 512, timeoutS: 60 },
    (fn) => {
      jobs.allowMoveJobs(fn);
      // The handlers of the workspace, which follow the end of a flow.
      objects.allowReadOutcomeHandlers(fn);
      storage.allowRead(fn, "jobs", "flows");
      storage.allowWrite(fn, "jobs");
      queue.allowSend(fn);
      grantFlowStarts(parts, fn, machines);
      // The reason for which an execution was stopped.
      flows.allowDescribe(fn);
      flows.allowResume(fn);
      flows.allowStop(fn);
      flows.subscribeToFailures(fn);
    },
  );
  // Its messages start jobs, whose messages may fail again.
  const handles = { description: "svc: dead letters", memoryMb: 512, timeoutS: 60, mayLoop: true };
  const deadLetter = addFunction(parts, "dead-letter", handles, (fn) => {
    jobs.allowMoveJobs(fn);
    // The handlers of the workspace, which follow the end of a job.
    objects.allowReadOutcomeHandlers(fn);
    queue.allowSend(fn);
    queue.allowConsumeDeadLetters(fn);
    // A job that ends here may be the step of a flow, which then continues.
    storage.allowRead(fn, "jobs", "flows");
    grantFlowStarts(parts, fn, machines);
    flows.allowResume(fn);
  });
  const remove = addFunction(parts, "remove", { description: "svc: data of expired jobs", memoryMb: 512, timeoutS: 900 }, (fn) => {
    jobs.allowRemoveExpired(fn, config);
    storage.allowRemoveExpired(fn);
  });
  const setup = addFunction(parts, "setup", { description: "svc: creates the first administrator", memoryMb: 512, timeoutS: 60 }, (fn) => {
    fn.addEnvironment(env.instanceEvents, config.instanceEventsWebhook);
    objects.allowWrite(fn);
    people.allowCreatePeople(fn);
  });
  return { deliver, housekeeping, settle, deadLetter, remove, setup };
}
