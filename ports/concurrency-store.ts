import type { Group } from "../core/jobs/concurrency.ts";
import type { TransactionPart } from "./object-store.ts";

/** A group and the version that was read. Without a version, no item existed. */
export interface FoundGroup {
  id: string;
  workspace: string;
  group: Group;
  version?: string;
}

/** Concurrency groups. Each write is conditional on the version that was read. It returns false if another writer was first. */
export interface ConcurrencyStore {
  /** Reads a group by a consistent read. A missing group is empty. */
  get(id: string, workspace: string): Promise<FoundGroup>;
  /** Replaces a group. An empty group is deleted. Returns false if another writer was first. */
  replace(found: FoundGroup, group: Group): Promise<boolean>;
  /** Replaces a group together with other writes to the table, all or nothing. Returns false if a condition is false. */
  replaceWith(found: FoundGroup, group: Group, parts: TransactionPart[]): Promise<boolean>;
}
