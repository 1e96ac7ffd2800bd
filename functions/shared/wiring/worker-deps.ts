import { concurrencyTable } from "../../../aws/dynamodb/concurrency-table.ts";
import { objectTable } from "../../../aws/dynamodb/object-table.ts";
import { dataKeys } from "../../../aws/kms/data-keys.ts";
import { executions } from "../../../aws/stepfunctions/executions.ts";
import { env, requireEnv } from "../../../contract/env.ts";
import { type BuildRequest, buildTargetSchema } from "../../../core/builds/build.ts";
import { connectGatedFlows } from "../../../services/flows/runtime/waiting/gated-flows.ts";
import { remainingTimeMs } from "../invocation.ts";
import { connectBulk } from "./continue-bulk.ts";
import { executorDeps } from "./executor.ts";
import { jobExecutors } from "./job-executors.ts";
import { startFollowUps } from "./start-follow-ups.ts";

/** The dependencies of functions that run jobs of every kind: they unseal secrets, build code and start flows. */
export function workerDeps(name: string) {
  const adapters = {
    ...executorDeps(name, remainingTimeMs),
    objects: objectTable,
    concurrency: concurrencyTable,
    dataKeys,
    executions,
    target: buildTargetSchema.parse(JSON.parse(requireEnv(env.buildTarget))),
    registries: JSON.parse(requireEnv(env.registries)) as BuildRequest["registries"],
  };
  return {
    ...adapters,
    ...jobExecutors(adapters),
    startFollowUps: startFollowUps(adapters),
    continueBulk: connectBulk(adapters),
    gatedFlows: connectGatedFlows(adapters),
  };
}
