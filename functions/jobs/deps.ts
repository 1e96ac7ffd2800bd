import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { cancelDeps } from "../shared/wiring/cancellation.ts";
import { jobData } from "../shared/wiring/job-data.ts";

export const deps = {
  ...cancelDeps,
  jobData,
  objects: objectTable,
  baseUrl: requireEnv(env.baseUrl),
  runnerMemoryMb: Number(requireEnv(env.runnerMemory)),
};
