import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { env } from "../../contract/env.ts";
import type { Build } from "../compute/bundles/build.ts";
import type { Bundle } from "../compute/bundles/bundle.ts";
import { bundleOf } from "../compute/bundles/bundle-of.ts";
import type { JobQueue } from "../compute/job-queue.ts";
import type { Runners } from "../compute/runners.ts";
import { ServiceFunction } from "../compute/service-function.ts";
import type { StackConfig } from "../config.ts";
import type { StateMachines } from "../flows/state-machines.ts";
import type { DeliveryQueues } from "../notifications/delivery-queues.ts";
import type { Notices } from "../notifications/notifications.ts";
import type { Logins } from "../people/logins.ts";
import type { People } from "../people/people.ts";
import type { Signing } from "../people/signing.ts";
import type { Storage } from "../storage/bucket.ts";
import type { JobsTable } from "../storage/jobs-table.ts";
import type { Keys } from "../storage/keys.ts";
import type { ObjectsTable } from "../storage/objects-table.ts";
import type { Triggers } from "../triggers/triggers.ts";

/** The constructs of the service that grant functions their capabilities. */
export interface StackParts {
  readonly scope: Construct;
  readonly config: StackConfig;
  readonly bundles: readonly Bundle[];
  /** The service's origin. */
  readonly url: string;
  /** The origin at which runners reach function `beat`. */
  readonly beatUrl: string;
  readonly jobs: JobsTable;
  readonly objects: ObjectsTable;
  readonly storage: Storage;
  readonly secrets: Keys;
  readonly queue: JobQueue;
  readonly signing: Signing;
  readonly people: People;
  readonly logins: Logins | undefined;
  readonly runners: Runners;
  readonly build: Build;
  readonly notices: Notices;
  readonly deliveries: DeliveryQueues;
  readonly flows: StateMachines;
  readonly triggers: Triggers;
}

interface FunctionSize {
  /** The construct's id where it is not the function's name: a table or the user pool has that id. */
  readonly id?: string;
  /** The name in the account. Without one, CloudFormation chooses it. */
  readonly functionName?: string;
  readonly description: string;
  readonly memoryMb: number;
  readonly timeoutS: number;
  readonly reservedConcurrency?: number;
  readonly mayLoop?: boolean;
}

/** Adds one function to the stack and grants it its capabilities. It has no other rights. */
export function addFunction(
  { scope, config, bundles }: Pick<StackParts, "scope" | "config" | "bundles">,
  name: string,
  { id = pascal(name), ...size }: FunctionSize,
  allow: (fn: LambdaFunction) => void,
): LambdaFunction {
  const { fn } = new ServiceFunction(scope, id, { config, bundle: bundleOf(bundles, "functions", name), ...size });
  fn.addEnvironment(env.stack, config.stackName);
  allow(fn);
  return fn;
}

function pascal(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}
