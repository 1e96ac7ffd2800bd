import * as z from "zod";
import { childName, childRef } from "../jobs/child-items.ts";
import { valueRefSchema } from "../jobs/value-ref.ts";
import type { Scope, ScopeName } from "./scopes.ts";

/**
 * The journal of a flow: what its modules have decided and reached, as child items of the flow's job. A repeated call finds there what was already done.
 * A place is named by its module and its path, the index of each loop around it: `3.7.` is the eighth iteration of a loop inside the fourth iteration of
 * another loop.
 */

const branchSchema = z.union([z.int(), z.literal("default")]);

const outcomeSchema = z.object({
  state: z.enum(["success", "failure"]),
  /** The transition of the state machine. */
  goes: z.enum(["next", "stop", "fail"]),
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
});
/** The outcome of a module. */
export type Outcome = z.infer<typeof outcomeSchema>;

const progressSchema = z.object({
  /** The jobs of failed attempts so far, and when the next attempt may begin. */
  failed: z.array(z.string()).optional(),
  retryAtMs: z.number().optional(),
  /** The list that a loop iterates over, and its length. */
  list: valueRefSchema.optional(),
  count: z.number().optional(),
  /** The iteration or branch that runs now; all before it have ended. */
  index: z.number().optional(),
  /** The number of parallel iterations. */
  width: z.number().optional(),
  branch: branchSchema.optional(),
  /** The job of a nested flow. */
  nested: z.string().optional(),
  /** The execution whose task was last sent to wait for the nested flow, and when. */
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
  /** No approval came in time: the flow counts as canceled. */
  canceled: z.boolean().optional(),
  /** A failure module has already run for this failure, in a list inside. */
  handled: z.boolean().optional(),
  /** The flow counts as skipped. */
  skip: z.boolean().optional(),
});
/** Why a list of modules ended before its last module. */
export type End = z.infer<typeof endSchema>;

/** A journal item as table `jobs` stores it. */
export interface JournalItem {
  /** The flow's job. */
  parent: string;
  ref: string;
  json?: string | undefined;
}

/** A stored record that this release cannot read. The record belongs to one flow, and only that flow fails. */
export class UnreadableRecordError extends Error {
  override readonly name = "UnreadableRecordError";
  readonly flow: string;
  constructor(flow: string, ref: string, options: ErrorOptions) {
    super(`The record ${ref} of flow ${flow} cannot be read. It is damaged, or another release of svc wrote it.`, options);
    this.flow = flow;
  }
}

const JOURNAL_VERSION = 1;
/** The JSON text of a journal item. */
export const journalJson = (value: Outcome | Progress | End): string => JSON.stringify({ version: JOURNAL_VERSION, ...value });

/** Release 0.1 wrote no version and shorter names. Its ended flows can still be read and restarted. */
function fromRelease01({ n, how, by, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...rest,
    ...(n === undefined ? {} : { execution: n }),
    ...(how === undefined ? {} : { reason: how === "again" ? "continued" : how }),
    ...(by === undefined ? {} : { module: by }),
  };
}

function parseItem<T extends object>(schema: z.ZodType<T>, { parent, ref, json = "null" }: JournalItem): T {
  try {
    const stored = JSON.parse(json) as Record<string, unknown>;
    const { version, ...fields } = stored;
    if (version !== undefined && version !== JOURNAL_VERSION) throw new Error(`Version ${String(version)} is unknown.`);
    return schema.parse(version === undefined ? fromRelease01(fields) : fields);
  } catch (error) {
    throw new UnreadableRecordError(parent, ref, { cause: error });
  }
}
/** Parses an outcome. Throws `UnreadableRecordError`. */
export const parseOutcome = (item: JournalItem): Outcome => parseItem(outcomeSchema, item);
/** Parses the progress of a module. Throws `UnreadableRecordError`. */
export const parseProgress = (item: JournalItem): Progress => parseItem(progressSchema, item);
/** Parses the end of a list. Throws `UnreadableRecordError`. */
export const parseEnd = (item: JournalItem): End => parseItem(endSchema, item);

/** Modules beside the flow's list: each list has a failure module of its own. */
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
 * Reads the reference of an outcome or of the end of a list. `id` is the module's, or the list's; `failureOf` is the list of a failure module instead.
 * `undefined` for references of other kinds.
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

/** The reference of the outcome of the module whose progress `ref` refers to. */
export const outcomeRefOfProgress = (ref: string) => childRef("outcome", childName("progress", ref) ?? "");

/** The name from which the id of a module's job is derived. */
export const buildJobName = (module: string, scope: ScopeName, path: string, attempt: number) =>
  `${nameOf(module, scope)}@${path}#${attempt}`;

/** Splits a path into segments: the index of a loop, or `<module>~<n>` for the n-th retry of a module with inner lists. */
const segmentsOf = (path: string) => path.split(".").slice(0, -1);
const isIndex = (segment: string) => /^\d+$/.test(segment);

/** The indices in a path, outermost first. */
export const listIndices = (path: string) => segmentsOf(path).filter(isIndex).map(Number);

/** The path of the lists inside a module. A retry has another path, so that it finds nothing of the attempt before. */
export const insidePath = (module: string, path: string, retries: number) => (retries > 0 ? `${path}${module}~${retries}.` : path);
/** Returns the path of an iteration inside the path of its loop. */
export const iterationPath = (path: string, index: number) => `${path}${index}.`;

/** The part of a path that belongs to a list, which is the list of the place itself or one around it. */
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

/** The path of another list as seen from a place; `undefined` when that list is inside a loop that does not contain the place. */
export function findVisiblePath(from: Scope, path: string, target: Scope): string | undefined {
  if (target.loops.some((loop, depth) => from.loops[depth] !== loop)) return undefined;
  return findScopePath(target, path);
}
