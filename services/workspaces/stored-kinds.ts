import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { buildListPartitions } from "../../core/jobs/job.ts";
import { keys } from "../../core/objects/keys.ts";

/** Lists the kinds of objects that are stored at paths with this beginning. Archived scripts and flows count. */
export async function listStoredKinds(objects: Pick<ObjectTable, "list">, workspace: string, beginsWith: string): Promise<string[]> {
  const triggers = triggerKinds.map((kind) => [`${kind} triggers`, (of: string, path: string) => keys.trigger(of, kind, path)] as const);
  const kinds = {
    variables: keys.variable,
    resources: keys.resource,
    scripts: keys.scriptListing,
    flows: keys.flowListing,
    schedules: keys.schedule,
    apps: keys.app,
    ...Object.fromEntries(triggers),
  };
  const found = await Promise.all(Object.values(kinds).map((key) => objects.list(key(workspace, "").pk, { beginsWith, limit: 1 })));
  return Object.keys(kinds).filter((_, index) => (found[index]?.length ?? 0) > 0);
}

/** The number of the newest entries that one search compares in each shard. DynamoDB returns at most 1 MB of them. */
const RUNS_IN_SHARD = 5000;

/** Returns whether the newest runs of a workspace include one at a path with this beginning, from one read of each shard. `unknown`: there are more. */
export async function findRecentRuns(
  { list }: Pick<JobTable, "list">,
  workspace: string,
  startsWith: string,
): Promise<"some" | "none" | "unknown"> {
  const where = [{ field: "path", startsWith } as const];
  const pages = await Promise.all(
    buildListPartitions(workspace).map((partition) => list({ index: "list", partition, limit: RUNS_IN_SHARD, where })),
  );
  if (pages.some(({ entries }) => entries.length > 0)) return "some";
  return pages.some(({ after }) => after !== undefined) ? "unknown" : "none";
}
