import type { EndedJob } from "../../../core/jobs/record/job.ts";
import type { DataOwner } from "../../../core/jobs/record/retention.ts";
import type { Uses } from "../../uses.ts";

/** A domain that stores data with jobs. Its functions run before the job's own items are deleted, and may be repeated. */
export interface JobDataOwner {
  /** Erases the data of a job whose content is erased while its record remains. */
  erase?(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, job: EndedJob): Promise<void>;
  /** Returns the prefixes of a job's child items that an erasure of the job leaves, because another record needs them. */
  listRetained?(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, job: EndedJob): Promise<readonly string[]>;
  /** Erases the part of an ended job's data that is due, and returns the time of the next part (epoch ms, or infinity). */
  eraseDue?(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, job: EndedJob): Promise<number>;
  /** Removes the data of a job that is removed with its record. */
  remove?(deps: Uses<"jobs" | "storage">, job: DataOwner): Promise<void>;
}
