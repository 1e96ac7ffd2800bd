import { buildListPartitions } from "../../core/jobs/record/job.ts";
import { itemsOfKinds } from "../../core/kind-items.ts";
import { domainsOfKinds } from "../../core/permissions/object-kinds.ts";
import type { JobStore } from "../../ports/job-store.ts";
import type { ObjectStore } from "../../ports/object-store.ts";

/** Lists the kinds of objects that are stored at paths with this prefix. Archived scripts and flows count. */
export async function listStoredKinds(objects: Pick<ObjectStore, "list">, workspace: string, beginsWith: string): Promise<string[]> {
  const found = await Promise.all(
    [...itemsOfKinds].map(async ([kind, { partitionKey }]) => {
      const [first] = await objects.list(partitionKey(workspace), { beginsWith, limit: 1 });
      return first ? [domainsOfKinds[kind]?.replace("_", " ") ?? kind] : [];
    }),
  );
  return found.flat();
}

/** The number of the newest entries that one search compares in each shard. DynamoDB returns at most 1 MB of them. */
const RUNS_IN_SHARD = 5000;

/** Returns whether the newest runs of a workspace include one at a path with this beginning, from one read of each shard. `unknown`: there are more. */
export async function findRecentRuns(
  { list }: Pick<JobStore, "list">,
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
