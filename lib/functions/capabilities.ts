import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IFunction, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { env } from "../../contract/env.ts";
import type { StackConfig } from "../config.ts";
import type { StackParts } from "./add-function.ts";

/** Grants the capabilities for running a job, in `run` (synchronous) and in `worker` (asynchronous). */
export function grantExecution(parts: StackParts, fn: LambdaFunction): void {
  const { config, url, beatUrl, jobs, storage, signing, runners, queue } = parts;
  fn.addEnvironment(env.baseUrl, url);
  fn.addEnvironment(env.internalUrl, config.internalUrl ?? url);
  fn.addEnvironment(env.beatUrl, beatUrl);
  jobs.allowMoveJobs(fn);
  storage.allowRead(fn, "jobs", "artefacts");
  storage.allowWrite(fn, "jobs");
  signing.allowSign(fn);
  runners.allowInvoke(fn);
  queue.allowSend(fn);
}

/** Grants the capabilities for jobs of every kind. */
export function grantEveryJobKind(parts: StackParts, fn: LambdaFunction): void {
  const { config, objects, secrets, storage, build, flows } = parts;
  grantExecution(parts, fn);
  objects.allowWrite(fn);
  objects.allowAuditBatches(fn);
  secrets.allowUnseal(fn);
  // Only the metadata of files, to detect changes.
  storage.allowRead(fn, "scripts", "flows", "files");
  storage.allowWrite(fn, "artefacts", "flows");
  build.allowInvoke(fn);
  flows.allowStart(fn);
  flows.allowResume(fn);
  fn.addEnvironment(env.buildTarget, JSON.stringify(buildTarget(config)));
  fn.addEnvironment(env.registries, JSON.stringify(config.registries));
}

/** Grants what a function needs to start flows whose machine may not exist: jobs from the queue, nested flows, and jobs that are checked again. */
export function grantFlowStarts(parts: StackParts, fn: LambdaFunction, machines: IFunction): void {
  const { flows } = parts;
  flows.allowStart(fn);
  fn.addToRolePolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [machines.functionArn] }));
  fn.addEnvironment(env.flowsFunction, machines.functionName);
}

/** Grants the capabilities for canceling jobs, with the flows that they run. */
export function grantCancellation(parts: StackParts, fn: LambdaFunction): void {
  const { jobs, storage, queue, flows } = parts;
  jobs.allowFindJobs(fn);
  storage.allowWrite(fn, "jobs");
  queue.allowSend(fn);
  flows.allowResume(fn);
  flows.allowStop(fn);
}

function buildTarget(config: StackConfig): NonNullable<StackConfig["buildTarget"]> {
  return config.buildTarget ?? { os: "linux", arch: config.arch, python: "3.14", node: "24" };
}

/** Returns the private ranges that URLs of users may reach. On the developer's own machine, services under test are on the machine itself. */
export function listAllowedRanges(config: StackConfig): string {
  return config.egressAllow ?? (config.local ? "127.0.0.0/8,::1/128" : "");
}
