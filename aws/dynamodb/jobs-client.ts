import { Table } from "dynamodb-toolbox";
import { env, requireEnv } from "../../contract/env.ts";
import { tableIndexes } from "../../core/jobs/record/fields.ts";
import { documents } from "../sdk/clients.ts";

/** The table `jobs`: jobs with their items, and concurrency groups. */
export const jobsTable = new Table({
  documentClient: documents(),
  name: () => requireEnv(env.jobsTable),
  partitionKey: { name: "pk", type: "string" },
  sortKey: { name: "sk", type: "string" },
  indexes: {
    list: { type: "global", ...tableIndexes.list },
    path: { type: "global", ...tableIndexes.path },
    parent: { type: "global", ...tableIndexes.parent },
    due: { type: "global", ...tableIndexes.due },
  },
});
