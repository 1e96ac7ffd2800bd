import { $add, $get, $remove } from "dynamodb-toolbox";
import type { EndedJob, EndState } from "../../core/jobs/record/job.ts";
import { endedPartition, indexEnded } from "./job-indexes.ts";
import { dueAt, type HeadCondition } from "./job-items.ts";

/** Values and conditions for changes of job records. */
export const jobValues = {
  /** The condition that a claimer has not made the first claim of a job yet. */
  isUnclaimed: {
    and: [
      { attr: "state", eq: "queued" },
      { attr: "claimer", exists: true },
    ],
  } as HeadCondition,
  /** Sets `secretsAtMs` unless it is already set. */
  firstSecretsAt: (atMs: number) => $get("secretsAtMs", atMs),
  /** Increments a counter. */
  oneMore: $add(1),
  /** Decrements a counter. */
  oneLess: $add(-1),
  /** Removes an attribute. */
  removed: $remove(),
  /** The fields by which housekeeping finds a job that is due. */
  dueAt,
  /** The fields that are removed when a job ends. */
  cleared: { nonce: $remove(), leaseUntilMs: $remove(), watchedUntilMs: $remove() },
  /** The change of a job that has ended in a state and for which nothing is due. */
  noLongerDue: (job: Pick<EndedJob, "id" | "workspace" | "createdAtMs">, state: EndState) =>
    indexEnded(job, state) ?? { duePartition: $remove(), dueAtMs: $remove() },
  /** The partition and sort value of unsuccessful jobs in the index `due`, which they enter when nothing is due any more. */
  endedPartition,
};
