import * as z from "zod";
import { isJsonObject } from "../../contract/json/json-object.ts";
import { childName, childRef } from "../jobs/lists/child-items.ts";
import { type ValueRef, valueRefSchema } from "../jobs/record/value-ref.ts";
import { recordFormat, type StoredRecord } from "../records/record-format.ts";
import type { Scope, ScopeName } from "./scopes.ts";

/**
 * The journal of a flow: the decisions and the progress of its modules, as child items of the flow's job. A repeated call finds completed work
 * there. A position is identified by its module and its path, which has the index of each loop around it: `3.7.` is the eighth iteration of a
 * loop inside the fourth iteration of another loop.
 */

const branchSchema = z.union([z.int(), z.literal("default")]);

const outcomeSchema = z.object({
  state: z.enum(["success", "failure"]),
  /** The transition of the state machine. */
  transition: z.enum(["next", "stop", "fail"]),
  result: valueRefSchema,
  /** The job that ran. */
  job: z.string().optional(),
  skipped: z.boolean().optional(),
  /** The jobs of failed attempts, before the last one. */
  retries: z.array(z.string()).optional(),
  /** The last job of each iteration or branch, and whether that iteration or branch succeeded. */
  jobs: z.array(z.string().nullable()).optional(),
  succeeded: z.array(z.boolean()).optional(),
  /** The branch that was chosen. */
  branch: branchSchema.optional(),
  /** The id of the gate that was passed: the next step reads the payloads of its approvals. */
  gate: z.string().optional(),
  approvers: z.array(z.object({ resume_id: z.number(), approver: z.string() })).optional(),
  /** The next module does not begin before this time. */
  sleepUntilMs: z.number().optional(),
  /** The end of a loop or of branches, which have no job that records it. */
  endedAtMs: z.number().optional(),
});
/** The outcome of a module. */
export type Outcome = z.infer<typeof outcomeSchema>;

const progressSchema = z.object({
  /** The jobs of failed attempts so far, and the time at which the next attempt may begin. */
  failed: z.array(z.string()).optional(),
  retryAtMs: z.number().optional(),
  /** The list over which a loop iterates, and its length. */
  list: valueRefSchema.optional(),
  count: z.number().optional(),
  /** The iteration or branch that runs now; all before it have ended. */
  index: z.number().optional(),
  /** The number of parallel iterations. */
  width: z.number().optional(),
  branch: branchSchema.optional(),
  /** The job of a nested flow. */
  subflowJob: z.string().optional(),
  /** The job of a step that may have to wait for a concurrency slot. */
  queuedJob: z.string().optional(),
  /** The execution whose task was last sent to wait for the nested flow, and the time. */
  awaitsToken: z.object({ execution: z.number(), atMs: z.number() }).optional(),
  /** The execution in which `index` or `branch` began. */
  execution: z.number().optional(),
});
/** The progress of a module that takes more than one call. */
export type Progress = z.infer<typeof progressSchema>;

const endSchema = z.object({
  /** `continued`: the list continues in a later execution than `execution`. */
  reason: z.enum(["stopped", "failed", "continued"]),
  execution: z.number().optional(),
  /** The module that ended the list. */
  module: z.string(),
  result: valueRefSchema,
  job: z.string().optional(),
  /** No approval arrived in time: the flow counts as canceled. */
  canceled: z.boolean().optional(),
  /** A failure module has already run for this failure, in an inner list. */
  handled: z.boolean().optional(),
  /** The flow counts as skipped. */
  skip: z.boolean().optional(),
});
/** The reason for which a list of modules ended before its last module. */
export type End = z.infer<typeof endSchema>;

/** Release 0.1 wrote no version and other names, also in references to values. This is the example of an upgrade (decision 161). */
const NAMES_OF_RELEASE_01: Record<string, string> = {
  n: "execution",
  how: "reason",
  by: "module",
  goes: "transition",
  nested: "subflowJob",
  of: "jobId",
  place: "location",
  shown: "redacted",
};
function upgrade(fields: Record<string, unknown>): Record<string, unknown> {
  const renamed = Object.entries(fields).map(([name, value]) => [NAMES_OF_RELEASE_01[name] ?? name, value] as const);
  return Object.fromEntries(renamed.map(([name, value]) => [name, upgradeValue(name, value)]));
}
function upgradeValue(name: string, value: unknown): unknown {
  if (name === "reason" && value === "again") return "continued";
  return (name === "result" || name === "list") && isJsonObject(value) ? upgrade(value) : value;
}

const VERSION = 1;
export const outcomeFormat = recordFormat({ schema: outcomeSchema, version: VERSION, upgrade });
export const progressFormat = recordFormat({ schema: progressSchema, version: VERSION, upgrade });
export const endFormat = recordFormat({ schema: endSchema, version: VERSION, upgrade });

/** Modules outside the flow's list: each list has its own failure module. */
export const FAILURE = "failure";
export const PREPROCESSOR = "preprocessor";
const nameOf = (module: string, scope: ScopeName) => (module === FAILURE ? `${FAILURE}:${scope}` : module);

/** Returns the reference of a module's outcome. */
export const outcomeRef = (module: string, scope: ScopeName, path: string) => childRef("outcome", `${nameOf(module, scope)}@${path}`);
/** Returns the reference of a module's progress. */
export const progressRef = (module: string, scope: ScopeName, path: string) => childRef("progress", `${nameOf(module, scope)}@${path}`);
/** Returns the reference of the end of a list. */
export const endRef = (scope: ScopeName, path: string) => childRef("listEnd", `${scope}@${path}`);

/**
 * Parses the reference of an outcome or of the end of a list. `id` identifies the module or the list; for a failure module, `failureOf` contains
 * its list instead. `undefined` for references of other kinds.
 */
export function parseJournalRef(
  ref: string,
): { kind: "outcome" | "listEnd"; id: string; failureOf: ScopeName | undefined; path: string } | undefined {
  for (const kind of ["outcome", "listEnd"] as const) {
    const [found, id = "", path = ""] = /^([^@]*)@(.*)$/.exec(childName(kind, ref) ?? "") ?? [];
    if (found === undefined) continue;
    const isFailure = kind === "outcome" && id.startsWith(`${FAILURE}:`);
    return { kind, id, failureOf: isFailure ? id.slice(FAILURE.length + 1) : undefined, path };
  }
  return undefined;
}

/** The result that an item of the journal refers to; `undefined` for items of other kinds. Throws `UnreadableRecordError`. */
export function resultOfItem(item: StoredRecord): ValueRef | undefined {
  switch (parseJournalRef(item.ref)?.kind) {
    case "outcome":
      return outcomeFormat.parse(item).result;
    case "listEnd":
      return endFormat.parse(item).result;
    default:
      return undefined;
  }
}

/** The JSON text of an item of the journal after its result is replaced, if it has one. Throws `UnreadableRecordError`. */
export function withResult(item: StoredRecord, result: ValueRef): string {
  return childName("outcome", item.ref) === undefined
    ? endFormat.toJson({ ...endFormat.parse(item), result })
    : outcomeFormat.toJson({ ...outcomeFormat.parse(item), result });
}

/** The reference of the outcome of the module to whose progress `ref` refers. */
export const outcomeRefOfProgress = (ref: string) => childRef("outcome", childName("progress", ref) ?? "");

/** The name from which the id of a module's job is derived. */
export const buildJobName = (module: string, scope: ScopeName, path: string, attempt: number) =>
  `${nameOf(module, scope)}@${path}#${attempt}`;

/** Splits a path into segments: the index of a loop, or `<module>~<n>` for the n-th retry of a module with inner lists. */
const segmentsOf = (path: string) => path.split(".").slice(0, -1);
const isIndex = (segment: string) => /^\d+$/.test(segment);

/** The indices in a path, outermost first. */
export const listIndices = (path: string) => segmentsOf(path).filter(isIndex).map(Number);

/** Compares two paths of the same list by the order in which their steps run. A retry of a module follows its first attempt. */
export function comparePaths(a: string, b: string): number {
  const [left, right] = [segmentsOf(a), segmentsOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [one = "", other = ""] = [left[at], right[at]];
    if (one === other) continue;
    if (isIndex(one) !== isIndex(other)) return isIndex(one) ? -1 : 1;
    const order = Number(one.split("~").at(-1)) - Number(other.split("~").at(-1));
    if (order !== 0) return order;
  }
  return 0;
}

/** The path of the lists inside a module. A retry has another path, so that it does not find the items of the previous attempt. */
export const insidePath = (module: string, path: string, retries: number) => (retries > 0 ? `${path}${module}~${retries}.` : path);
/** Returns the path of an iteration inside the path of its loop. */
export const iterationPath = (path: string, index: number) => `${path}${index}.`;

/** The part of a path that belongs to a list: the list of the position itself, or an enclosing list. */
export function findScopePath({ loops, inside }: Scope, path: string): string {
  let left = loops.length;
  let found = "";
  for (const segment of segmentsOf(path)) {
    if (isIndex(segment) ? left === 0 : !inside.includes(segment.split("~")[0] ?? "")) break;
    if (isIndex(segment)) left -= 1;
    found += `${segment}.`;
  }
  return found;
}

/** The path of another list relative to a position; `undefined` if that list is inside a loop that does not contain the position. */
export function findVisiblePath(from: Scope, path: string, target: Scope): string | undefined {
  if (target.loops.some((loop, depth) => from.loops[depth] !== loop)) return undefined;
  return findScopePath(target, path);
}
