import { Table } from "dynamodb-toolbox";
import { env, requireEnv } from "../../contract/env.ts";
import { documents } from "../sdk/clients.ts";

/** The table `jobs`: jobs with their items, and concurrency groups. */
export const jobsTable = new Table({
  documentClient: documents(),
  name: () => requireEnv(env.jobsTable),
  partitionKey: { name: "pk", type: "string" },
  sortKey: { name: "sk", type: "string" },
  indexes: {
    list: { type: "global", partitionKey: { name: "lp", type: "string" }, sortKey: { name: "ls", type: "string" } },
    path: { type: "global", partitionKey: { name: "pp", type: "string" }, sortKey: { name: "ls", type: "string" } },
    parent: { type: "global", partitionKey: { name: "parent", type: "string" }, sortKey: { name: "ls", type: "string" } },
    due: { type: "global", partitionKey: { name: "dp", type: "string" }, sortKey: { name: "ds", type: "number" } },
  },
});
