import * as z from "zod";
import { getCursor, taskCursorObject } from "../../core/jobs/periodic-task.ts";
import { type Job, type QueuedJob, SHARDS } from "../../core/jobs/record/job.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import { removalObject } from "../../core/people/membership.ts";
import { personKey } from "../../core/people/person.ts";
import { parseNextRunId } from "../../core/schedules/next-run.ts";
import { endJobAndNotify } from "../execution/endings/end-and-notify.ts";
import { readLostRight } from "../execution/rights/lost-rights.ts";
import { isConcurrencyGroup } from "../jobs/concurrency/concurrency.ts";
import type { Uses } from "../uses.ts";

const TASK = "endLostRuns";
const PAGE = 100;
/** Later than every job is due (epoch ms). */
const LAST_DUE_MS = 1e14;

/** The number of requests that one pass completes. */
const MAX_REMOVALS = 1000;
/** The position at which a pass over the waiting jobs continues, and the versions of the requests that existed when it began. */
const passSchema = z.object({
  versions: z.array(z.string()),
  hasFailed: z.boolean(),
  shard: z.number(),
  after: z.record(z.string(), z.unknown()).optional(),
});

type Pass = z.infer<typeof passSchema>;

/**
 * Ends the waiting runs of users who have lost all rights in a workspace, until `untilMs` (epoch ms, real clock), and returns their number. A run
 * ends only if the right is lost at that moment, so a user who was added again keeps the others. The position is recorded after each page, so
 * that the next tick continues there.
 */
export async function endLostRuns(
  deps: Uses<"followUps" | "onJobEnded" | "isolation" | "jobs" | "objects" | "storage" | "nowMs" | "pause" | "maxRetryMs">,
  untilMs: number,
): Promise<number> {
  const { objects, jobs } = deps;
  const removals = await objects.list(removalObject.partitionKey(), { limit: MAX_REMOVALS });
  if (removals.length === 0) return 0;
  const cursor = taskCursorObject.key(TASK);
  const stored = await objects.get(cursor);
  const versions = removals.flatMap(({ version = [] }) => version);
  let pass: Pass = getCursor(passSchema, stored) ?? { versions, hasFailed: false, shard: 0 };
  const removedKeys = new Set(removals.map(({ sk }) => sk));
  let ended = 0;
  while (pass.shard < SHARDS) {
    const page = await jobs.listDuePage(pass.shard, LAST_DUE_MS, { limit: PAGE, after: pass.after });
    const ids = page.entries.flatMap(({ id }) => (isConcurrencyGroup(id) || parseNextRunId(id) ? [] : [id]));
    let { hasFailed } = pass;
    for (const job of await jobs.batchGet(ids)) {
      if (!isWaiting(job) || !isRemoved(removedKeys, job)) continue;
      const { ok } = await deps.isolation.attempt(TASK, job.id, async () => {
        const lost = await readLostRight(deps, job);
        if (lost && (await endJobAndNotify(deps, job, lost))) ended += 1;
      });
      hasFailed ||= !ok;
    }
    const next = page.after ? { shard: pass.shard, after: page.after } : { shard: pass.shard + 1 };
    pass = { versions: pass.versions, hasFailed, ...next };
    if (pass.shard === SHARDS) break;
    await objects.put({ ...cursor, value: pass });
    if (Date.now() >= untilMs) return ended;
  }
  // First, so that the next pass starts at the beginning if this process dies here.
  await objects.deleteItem(cursor);
  // A job that moved in the index during the pass may have been missed. It is checked when it begins.
  const complete = pass.hasFailed ? [] : removals.filter(({ version = "" }) => pass.versions.includes(version));
  for (const removal of complete) await objects.transactWrite([write.remove(removal, unchangedSince(removal))]);
  return ended;
}

/** The run of a schedule does not count as a run of its user: the schedule is turned off at its next tick. */
const isWaiting = (job: Job): job is QueuedJob => job.state === "queued" && job.claimer === undefined;

const isRemoved = (removals: ReadonlySet<string>, { workspace, email, starter, origin }: Job) =>
  [email, starter, origin].some(
    (person) => person !== undefined && ["", workspace].some((where) => removals.has(removalObject.key(where, personKey(person)).sk)),
  );
