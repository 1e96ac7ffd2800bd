import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { memoryMb } from "../../contract/deployment/memory.ts";
import { env } from "../../contract/env.ts";
import { limits } from "../../contract/limits.ts";
import { divideConcurrency } from "../compute/concurrency.ts";
import { addFunction, type StackParts } from "./add-function.ts";
import { grantEveryJobKind, grantExecution, grantFlowStarts, listAllowedRanges } from "./capabilities.ts";

/** The functions that start and execute jobs and flows. */
export function addExecutionFunctions(
  parts: StackParts,
): Record<"step" | "machines" | "worker" | "run" | "routes" | "stream", LambdaFunction> {
  const { scope, config, url, jobs, objects, storage, queue, flows, secrets } = parts;
  // `step` invokes `flows`, and `flows` writes the ARN of `step` into machines. A name instead of a reference avoids a cycle in the template.
  const flowsName = `${config.stackName}-flows`;
  const { reserved } = divideConcurrency(config);
  const steps = { description: "svc: steps of flows", memoryMb: memoryMb.step, timeoutS: 900, reservedConcurrency: reserved.step };
  const step = addFunction(parts, "step", steps, (fn) => {
    grantEveryJobKind(parts, fn);
    jobs.allowCheckJobs(fn);
    flows.allowMachinesToInvoke(fn);
    grantFlowStarts(parts, fn, LambdaFunction.fromFunctionName(scope, "FlowsByName", flowsName));
    // Stops the execution of a flow that exceeded its time limit.
    flows.allowStop(fn);
  });
  const machines = addFunction(
    parts,
    "flows",
    { functionName: flowsName, description: "svc: creates state machines", memoryMb: 512, timeoutS: 60 },
    (fn) => flows.allowCreate(fn, step),
  );
  // Each job of a concurrency group passes its slot to the next one with a message: a hundred waiting jobs form one chain.
  const works = { description: "svc: runs queued jobs", memoryMb: memoryMb.worker, timeoutS: 900, mayLoop: true };
  const worker = addFunction(parts, "worker", works, (fn) => {
    grantEveryJobKind(parts, fn);
    grantFlowStarts(parts, fn, machines);
    queue.allowConsume(fn);
    // Actions on many jobs find them by a filter, and cancel flows.
    jobs.allowQueryIndexes(fn);
    flows.allowStop(fn);
  });
  // Without the ceilings of `run`, `routes` and `stream`, callers could use up every execution that is not reserved, and stop the jobs of queues.
  const runs = { description: "svc: run routes", memoryMb: memoryMb.run, timeoutS: 30, reservedConcurrency: reserved.run };
  const run = addFunction(parts, "run", runs, (fn) => {
    grantExecution(parts, fn);
    fn.addEnvironment(env.includeHeaders, config.includeHeaders);
    // A restart compares the plan of the flow and the versions of its scripts with those of the run.
    storage.allowRead(fn, "flows", "scripts");
    // A call's queue_limit counts waiting jobs.
    jobs.allowCountJobs(fn);
    // Erases data after the reply, as the script specifies.
    storage.allowDelete(fn, "jobs");
    objects.allowRead(fn);
    objects.allowPublishKey(fn);
    objects.allowTouchTokens(fn);
    objects.allowIdempotency(fn);
    // For arguments with references: no function that can decrypt secrets parses untrusted input.
    fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [worker.functionArn] }));
    fn.addEnvironment(env.workerFunction, worker.functionName);
  });
  // Ends a stream that does not end itself. Lambda does not notice when its reader disconnects.
  const streamTimeoutS = (limits.streamMs + limits.streamGraceMs) / 1000;
  const routed = {
    description: "svc: requests to HTTP routes",
    memoryMb: 1024,
    timeoutS: streamTimeoutS,
    reservedConcurrency: reserved.routes,
  };
  const routes = addFunction(parts, "routes", routed, (fn) => {
    grantExecution(parts, fn);
    fn.addEnvironment(env.includeHeaders, config.includeHeaders);
    // The stream of a flow shows its last step; static routes serve files.
    storage.allowRead(fn, "flows", "files");
    // Erases data after the reply, as the script specifies.
    storage.allowDelete(fn, "jobs");
    objects.allowRead(fn);
    objects.allowPublishKey(fn);
    objects.allowTouchTokens(fn);
    objects.allowIdempotency(fn);
    objects.allowHttpRoutes(fn);
    objects.allowStreamSlots(fn);
    secrets.allowOpenRouteCopies(fn);
    // The keys of issuers of tokens are at URLs of users.
    fn.addEnvironment(env.egressAllow, listAllowedRanges(config));
    fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [worker.functionArn] }));
    fn.addEnvironment(env.workerFunction, worker.functionName);
  });
  const stream = addFunction(
    parts,
    "stream",
    { description: "svc: streams of runs and job updates", memoryMb: 512, timeoutS: streamTimeoutS, reservedConcurrency: reserved.stream },
    (fn) => {
      fn.addEnvironment(env.baseUrl, url);
      fn.addEnvironment(env.includeHeaders, config.includeHeaders);
      objects.allowRead(fn);
      objects.allowTouchTokens(fn);
      objects.allowIdempotency(fn);
      objects.allowStreamSlots(fn);
      jobs.allowMoveJobs(fn);
      jobs.allowCountJobs(fn);
      storage.allowRead(fn, "jobs", "flows");
      storage.allowWrite(fn, "jobs");
      queue.allowSend(fn);
    },
  );
  return { step, machines, worker, run, routes, stream };
}
