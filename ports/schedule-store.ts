import type { NextRun } from "../core/schedules/next-run.ts";
import type { TransactionPart } from "./object-store.ts";

/** The item of a schedule and the version that was read. Without a version, no item existed. */
export interface FoundNextRun {
  id: string;
  workspace: string;
  next?: NextRun;
  version?: string;
}

/** The next run of each enabled schedule. Each write is one part of a transaction, and its condition is the version that was read. */
export interface ScheduleStore {
  /** Reads the item of the schedule at a path by a consistent read. Throws for an item that cannot be read. */
  get(workspace: string, path: string): Promise<FoundNextRun>;
  replaceParams(found: FoundNextRun, next: NextRun): TransactionPart;
  /** The condition is also true for an item that did not exist and still does not. */
  removeParams(found: FoundNextRun): TransactionPart;
}
