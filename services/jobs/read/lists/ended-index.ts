import { endedIndexObject } from "../../../../core/jobs/lists/ended-index.ts";
import { buildListPartitions } from "../../../../core/jobs/record/job.ts";
import { write } from "../../../../core/objects/write.ts";
import type { Uses } from "../../../uses.ts";

/** For the duration of an invocation, the code of an earlier release may still end jobs. */
const OLD_CODE_MS = 20 * 60_000;

/**
 * Returns the time (epoch ms) since which every job that was created is in the index of its end state. Earlier releases had no such index, so
 * lists read older jobs one by one until these expire. `undefined` before housekeeping has recorded the time.
 */
export async function findEndedIndexStart({ objects }: Uses<"objects">): Promise<number | undefined> {
  const found = await objects.get(endedIndexObject.key());
  return found && endedIndexObject.parse(found).sinceMs;
}

/**
 * Records the start of the index of end states, once. `workspaces` are all workspaces; if they have no job, the index is complete from the
 * beginning. Returns whether this call recorded it.
 */
export async function recordEndedIndexStart(
  { objects, jobs, nowMs }: Uses<"jobs" | "objects" | "nowMs">,
  workspaces: readonly string[],
): Promise<boolean> {
  if (await objects.get(endedIndexObject.key())) return false;
  const partitions = workspaces.flatMap(buildListPartitions);
  let sinceMs = 0;
  for (const partition of partitions) {
    const { entries } = await jobs.list({ index: "list", partition, limit: 1 });
    if (entries.length === 0) continue;
    sinceMs = nowMs() + OLD_CODE_MS;
    break;
  }
  const value = { sinceMs };
  return (await objects.transactWrite([write.put({ ...endedIndexObject.key(), value }, "absent")])) === undefined;
}
