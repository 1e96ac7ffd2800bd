import * as z from "zod";
import { valueRefSchema } from "../jobs/value-ref.ts";
import type { Scope, ScopeName } from "./scopes.ts";

/**
 * What a flow has decided and reached, as items of its job: whatever runs again finds here what was done already. Places are named by module and
 * by `at`, the index of each loop around it: `3.7.` is the eighth iteration of a loop in the fourth one of another.
 */

/** How a module ended. It is written once for each number of redrives. */
export const outcomeSchema = z.object({
  state: z.enum(["success", "failure"]),
  /** Where control goes. */
  goes: z.enum(["next", "stop", "fail"]),
  result: valueRefSchema,
  /** The job that ran. */
  job: z.string().optional(),
  skipped: z.boolean().optional(),
  /** The jobs of failed attempts, before the last one. */
  retries: z.array(z.string()).optional(),
  /** The last job of each iteration or branch, and whether it went well. */
  jobs: z.array(z.string().nullable()).optional(),
  succeeded: z.array(z.boolean()).optional(),
  /** The branch that was chosen. */
  branch: z.union([z.int(), z.literal("default")]).optional(),
  /** The id of the gate that it was decided at: what came with the approvals is for the next step. */
  gate: z.string().optional(),
  approvers: z.array(z.object({ resume_id: z.number(), approver: z.string() })).optional(),
  /** What follows waits until then. */
  sleepUntilMs: z.number().optional(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

/** How far a module is that takes more than one call. */
export const progressSchema = z.object({
  /** Failed attempts so far, by their jobs, and when the next may begin. */
  failed: z.array(z.string()).optional(),
  retryAtMs: z.number().optional(),
  /** What is iterated over, and how much of it there is. */
  list: valueRefSchema.optional(),
  count: z.number().optional(),
  /** The iteration or branch that runs now; those before it have ended. */
  index: z.number().optional(),
  /** So many run at once. */
  width: z.number().optional(),
  branch: z.union([z.int(), z.literal("default")]).optional(),
  /** The job of a nested flow. */
  nested: z.string().optional(),
  /** The execution in which that was begun. */
  n: z.number().optional(),
});
export type Progress = z.infer<typeof progressSchema>;

/** Why a list of modules ended before its last one. */
export const endSchema = z.object({
  /** `again`: it goes on in another execution than `n`. */
  how: z.enum(["stopped", "failed", "again"]),
  n: z.number().optional(),
  /** The module that did it. */
  by: z.string(),
  result: valueRefSchema,
  job: z.string().optional(),
  /** Nobody has approved in time: the flow counts as canceled. */
  canceled: z.boolean().optional(),
  /** A failure module has seen this failure already, in a list inside. */
  handled: z.boolean().optional(),
  /** The flow counts as skipped. */
  skip: z.boolean().optional(),
});
export type End = z.infer<typeof endSchema>;

/** A module beside the others has a place in each list. */
export const FAILURE = "failure";
export const PREPROCESSOR = "preprocessor";
const nameOf = (module: string, scope: ScopeName) => (module === FAILURE ? `${FAILURE}:${scope}` : module);

export const outcomeRef = (module: string, scope: ScopeName, at: string) => `m#${nameOf(module, scope)}@${at}`;
export const progressRef = (module: string, scope: ScopeName, at: string) => `w#${nameOf(module, scope)}@${at}`;
export const endRef = (scope: ScopeName, at: string) => `s#${scope}@${at}`;
/** Where the folder of steps that run in one place is, by the list and place where they stand. */
export const sharedRef = (folder: string) => `x#shared@${folder}`;
/** What the id of a module's job is made of. */
export const jobName = (module: string, scope: ScopeName, at: string, attempt: number) => `${nameOf(module, scope)}@${at}#${attempt}`;

/** A loop's index; or `<module>~<n>`, where a module with others inside is tried for the n-th time again. */
const segmentsOf = (at: string) => at.split(".").slice(0, -1);
const isIndex = (segment: string) => /^\d+$/.test(segment);

/** The indices in `at`, outermost first. */
export const indicesOf = (at: string) => segmentsOf(at).filter(isIndex).map(Number);

/** Where the lists inside of a module stand: one that is tried again finds nothing of before. */
export const insideAt = (module: string, at: string, retries: number) => (retries > 0 ? `${at}${module}~${retries}.` : at);
export const innerAt = (at: string, index: number) => `${at}${index}.`;

/** The part of `at` that says where a list is, which is the place's own or one around it. */
export function placeIn({ loops, inside }: Scope, at: string): string {
  let left = loops.length;
  let found = "";
  for (const segment of segmentsOf(at)) {
    if (isIndex(segment) ? left === 0 : !inside.includes(segment.split("~")[0] ?? "")) break;
    if (isIndex(segment)) left -= 1;
    found += `${segment}.`;
  }
  return found;
}

/** The `at` of something in another list as seen from here; `undefined` when that list stands in a loop that this place is not in. */
export function seenAt(from: Scope, at: string, target: Scope): string | undefined {
  if (target.loops.some((loop, depth) => from.loops[depth] !== loop)) return undefined;
  return placeIn(target, at);
}
