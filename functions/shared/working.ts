import { concurrencyTable } from "../../aws/dynamodb/concurrency-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { dataKeys } from "../../aws/kms/data-keys.ts";
import { executions } from "../../aws/stepfunctions/executions.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { type BuildRequest, buildTargetSchema } from "../../core/builds/build.ts";
import type { RunJobDeps } from "../../services/execution/run-job.ts";
import { executor } from "./executor.ts";

/** What functions are wired with that carry out jobs of every kind: they unseal, build and start flows. */
export const working = (name: string): RunJobDeps => ({
  ...executor(name),
  objects: objectTable,
  concurrency: concurrencyTable,
  dataKeys,
  executions,
  target: buildTargetSchema.parse(JSON.parse(requireEnv(env.buildTarget))),
  registries: JSON.parse(requireEnv(env.registries)) as BuildRequest["registries"],
});
