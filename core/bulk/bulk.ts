import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

const errorSchema = z.object({ id: z.string().optional(), error: z.string() });
export type BulkError = z.infer<typeof errorSchema>;

const bulkSchema = z.object({
  id: z.string(),
  action: z.enum(["cancel", "rerun"]),
  /** For runs: the newest version at the path instead of the same one, and the JSON text of the arguments that replace those of each run. */
  latest: z.boolean(),
  argsJson: z.string().optional(),
  /** The caller, whose rights are read again before each part, and the limits of the caller's token. */
  caller: z.object({
    email: z.string(),
    superAdmin: z.boolean(),
    tokenWorkspace: z.string().optional(),
    scopes: z.array(z.string()).optional(),
    /** The expiry of the token (epoch ms). */
    expiresAtMs: z.number().optional(),
  }),
  /** The filter whose jobs are still being listed, as JSON, and the cursor of the next page. Absent once the jobs are known. */
  search: z.object({ filterJson: z.string(), cursor: z.string().optional() }).optional(),
  /** The names of the items that contain the ids. */
  parts: z.array(z.string()),
  total: z.number(),
  /** More jobs match than one action covers. */
  hasMore: z.boolean(),
  /** The number of parts that are completed. */
  completed: z.number(),
  done: z.number(),
  failed: z.number(),
  errors: z.array(errorSchema),
  createdAtMs: z.number(),
  stops: z.boolean(),
  ended: z.enum(["done", "stopped"]).optional(),
});
export type Bulk = z.infer<typeof bulkSchema>;

/** A bulk action. It is found by its creator alone. */
export const bulkObject = defineObject({
  name: "bulk action",
  partition: "BULK",
  ...inWorkspace,
  sort: (person: string, id: string) => `${person}#${id}`,
  schema: bulkSchema,
});

/** The ids of one part of a bulk action. */
export const bulkPartObject = defineObject({
  name: "part of a bulk action",
  partition: "BULKPART",
  ...inWorkspace,
  sort: (id: string, part: string) => `${id}#${part}`,
  schema: z.array(z.string()),
});

/** The jobs of one part, which are handled between two writes of the progress. */
export const PART_JOBS = 100;

/** The outcome of one job: an error, or none. */
export interface UnitOutcome {
  id: string;
  error?: string;
}

/** Returns the action after the jobs of its next part. */
export function addOutcomes(bulk: Bulk, outcomes: readonly UnitOutcome[]): Bulk {
  const failures = outcomes.flatMap(({ id, error }): BulkError[] => (error === undefined ? [] : [{ id, error }]));
  return endIfComplete({
    ...bulk,
    completed: bulk.completed + 1,
    done: bulk.done + outcomes.length - failures.length,
    failed: bulk.failed + failures.length,
    errors: [...bulk.errors, ...failures].slice(0, limits.bulkErrors),
  });
}

/** Returns the action with a page of the jobs that match its filter. `part` is the name of the item that contains them. */
export function addPage(bulk: Bulk, { part, count, next }: { part: string; count: number; next: string | undefined }): Bulk {
  const total = bulk.total + count;
  const isFull = total >= limits.bulkJobs;
  const { search, ...others } = bulk;
  const found = { ...others, total, parts: count > 0 ? [...bulk.parts, part] : bulk.parts, hasMore: isFull && next !== undefined };
  return search && next !== undefined && !isFull ? { ...found, search: { ...search, cursor: next } } : endIfComplete(found);
}

const endIfComplete = (bulk: Bulk): Bulk => (bulk.search || bulk.completed < bulk.parts.length ? bulk : { ...bulk, ended: "done" });

/** Returns the action that was stopped, with the reason unless its creator has stopped it. */
export const endEarly = (bulk: Bulk, reason?: string): Bulk => ({
  ...bulk,
  ended: "stopped",
  errors: reason === undefined ? bulk.errors : [{ error: reason }, ...bulk.errors].slice(0, limits.bulkErrors),
});

/** Returns the state that the creator sees. */
export function describeBulkState({ ended, stops, search }: Bulk): "collecting" | "running" | "stopping" | "stopped" | "done" {
  if (ended) return ended;
  if (stops) return "stopping";
  return search ? "collecting" : "running";
}

/** Returns whether two states of an action have the same progress, so that only a stop was requested in between. */
export const isSameProgress = (one: Bulk, other: Bulk): boolean =>
  one.completed === other.completed && one.parts.length === other.parts.length && one.search?.cursor === other.search?.cursor;
