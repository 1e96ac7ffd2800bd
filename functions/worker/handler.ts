import { concurrencyTable } from "../../aws/concurrency-table.ts";
import { dataKeys } from "../../aws/data-keys.ts";
import { objectTable } from "../../aws/object-table.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { type BuildRequest, buildTargetSchema } from "../../core/builds/build.ts";
import { type Working, work } from "../../services/jobs/work.ts";
import { executor } from "../shared/executor.ts";
import { messageHandler } from "../shared/messages.ts";

const working: Working = {
  ...executor("worker"),
  objects: objectTable,
  concurrency: concurrencyTable,
  dataKeys,
  target: buildTargetSchema.parse(JSON.parse(requireEnv(env.buildTarget))),
  registries: JSON.parse(requireEnv(env.registries)) as BuildRequest["registries"],
};

export const handler = messageHandler((message) => work(working, message));
