import { concurrencyTable } from "../../aws/concurrency-table.ts";
import { dataKeys } from "../../aws/data-keys.ts";
import { executions } from "../../aws/executions.ts";
import { objectTable } from "../../aws/object-table.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { type BuildRequest, buildTargetSchema } from "../../core/builds/build.ts";
import type { Working } from "../../services/jobs/work.ts";
import { executor } from "./executor.ts";

/** What functions are wired with that carry out jobs of every kind: they unseal, build and start flows. */
export const working = (name: string): Working => ({
  ...executor(name),
  objects: objectTable,
  concurrency: concurrencyTable,
  dataKeys,
  executions,
  target: buildTargetSchema.parse(JSON.parse(requireEnv(env.buildTarget))),
  registries: JSON.parse(requireEnv(env.registries)) as BuildRequest["registries"],
});
