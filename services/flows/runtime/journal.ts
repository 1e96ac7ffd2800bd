import * as z from "zod";
import {
  type End,
  endFormat,
  endRef,
  type Outcome,
  outcomeFormat,
  outcomeRef,
  type Progress,
  progressFormat,
  progressRef,
} from "../../../core/flows/journal.ts";
import type { ScopeName } from "../../../core/flows/scopes.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { parseRecord, type RecordFormat, type StoredRecord } from "../../../core/records/record-format.ts";
import { loadValue } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import type { StepContext } from "./step-context.ts";

/** Items of a flow's journal by their references. */
export type JournalItems = ReadonlyMap<string, StoredRecord>;

/** Reads items of a flow's journal by their references. */
export async function readJournal({ jobs }: Uses<"jobs">, flow: { id: string }, refs: readonly string[]): Promise<JournalItems> {
  if (refs.length === 0) return new Map();
  return (await jobs.getWith(flow.id, refs, { head: false })).items;
}

/** The outcome of a module among items of the journal. Throws `UnreadableRecordError` for an item that cannot be read; so do the other two. */
export const findOutcome = (items: JournalItems, module: string, scope: ScopeName, path: string): Outcome | undefined =>
  parsed(items, outcomeRef(module, scope, path), outcomeFormat);
/** Returns the early end of a list, among items of the journal. */
export const findEnd = (items: JournalItems, scope: ScopeName, path: string): End | undefined =>
  parsed(items, endRef(scope, path), endFormat);
/** The progress of a module among items of the journal. */
export const findProgress = (items: JournalItems, module: string, scope: ScopeName, path: string): Progress | undefined =>
  parsed(items, progressRef(module, scope, path), progressFormat);

function parsed<T>(items: JournalItems, ref: string, format: RecordFormat<T>): T | undefined {
  const item = items.get(ref);
  return item && format.parse(item);
}

/** Writes the outcome of the module. Idempotent. */
export const writeOutcome = (deps: Uses<"jobs">, step: StepContext, outcome: Outcome) =>
  write(deps, step, outcomeRef(step.module.id, step.scope.name, step.path), outcomeFormat.toJson(outcome));

/** Writes the end of the module's list before its last module. */
export const writeEnd = (deps: Uses<"jobs">, step: StepContext, end: End) =>
  write(deps, step, endRef(step.scope.name, step.path), endFormat.toJson(end));

/** Adds a change to the progress of the module, and returns the complete progress. */
export async function writeProgress(deps: Uses<"jobs">, step: StepContext, change: Partial<Progress>): Promise<Progress> {
  const progress = { ...step.progress, ...change };
  await write(deps, step, progressRef(step.module.id, step.scope.name, step.path), progressFormat.toJson(progress));
  return progress;
}

const itemsSchema = z.array(z.object({ ref: z.string(), json: z.string(), expiresAtS: z.number() }));

/** Writes the journal items that a restarted flow reuses, before its first execution starts. Idempotent. */
export async function writeReusedSteps(deps: Uses<"jobs" | "storage">, job: Job): Promise<void> {
  const location = job.flow?.reusedSteps;
  if (!location) return;
  const items = parseRecord(itemsSchema, { parent: job.id, ref: "reusedSteps", json: await loadValue(deps, job, location) });
  await deps.jobs.putWith(
    items.map((item) => ({ ...item, parent: job.id, expiresAtS: Math.ceil(job.expiresAtMs / 1000) })),
    [],
  );
}

async function write({ jobs }: Uses<"jobs">, { flow }: StepContext, ref: string, json: string): Promise<void> {
  await jobs.putChild({ parent: flow.id, ref, json, expiresAtS: Math.ceil(flow.expiresAtMs / 1000) });
}
