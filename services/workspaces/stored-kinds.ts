import { simpleKindNames } from "../../contract/kinds/kinds.ts";
import { triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import { appObject } from "../../core/apps/app.ts";
import { flowListingObject } from "../../core/flows/version.ts";
import { buildListPartitions } from "../../core/jobs/record/job.ts";
import { simpleObject } from "../../core/objects/simple-object.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { scheduleObject } from "../../core/schedules/schedule.ts";
import { scriptListingObject } from "../../core/scripts/version.ts";
import { triggerObject } from "../../core/triggers/trigger.ts";
import { variableObject } from "../../core/variables/variable.ts";
import type { JobStore } from "../../ports/job-store.ts";
import type { ObjectStore } from "../../ports/object-store.ts";

/** Lists the kinds of objects that are stored at paths with this prefix. Archived scripts and flows count. */
export async function listStoredKinds(objects: Pick<ObjectStore, "list">, workspace: string, beginsWith: string): Promise<string[]> {
  const kinds = {
    variables: variableObject.partitionKey(workspace),
    resources: resourceObject.partitionKey(workspace),
    scripts: scriptListingObject.partitionKey(workspace),
    flows: flowListingObject.partitionKey(workspace),
    schedules: scheduleObject.partitionKey(workspace),
    apps: appObject.partitionKey(workspace),
    ...Object.fromEntries(simpleKindNames.map((kind) => [`${kind}s`, simpleObject.partitionKey(workspace, kind)])),
    ...Object.fromEntries(triggerKinds.map((kind) => [`${kind} triggers`, triggerObject.partitionKey(workspace, kind)])),
  };
  const found = await Promise.all(Object.values(kinds).map((partition) => objects.list(partition, { beginsWith, limit: 1 })));
  return Object.keys(kinds).filter((_, index) => (found[index]?.length ?? 0) > 0);
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
