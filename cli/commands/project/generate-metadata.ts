import type { SyncOptions } from "../../../core/sync/config/config.ts";
import { findStaleItems, type StaleItem } from "../../../core/sync/metadata/stale-items.ts";
import type { Context } from "../../context.ts";
import { CommandError, UsageError } from "../../errors.ts";
import { generateItems, type Outcome, type Parts, selectParts } from "../../metadata/generate.ts";
import { type MetadataProject, readMetadataProject, selectByPaths } from "../../metadata/project-state.ts";
import { type OpenedProject, openSyncProject } from "../../sync/session.ts";

interface MetadataFlags extends SyncOptions {
  lockOnly?: boolean;
  schemaOnly?: boolean;
  dryRun?: boolean;
}

/** Generates the metadata of the stale scripts and flows at some paths, or of all. */
export async function generateMetadata(
  context: Context,
  paths: readonly string[],
  { lockOnly = false, schemaOnly = false, dryRun = false, ...options }: MetadataFlags,
): Promise<void> {
  if (lockOnly && schemaOnly) throw new UsageError("--lock-only and --schema-only exclude each other. Leave out one of them.");
  const { output } = context;
  const opened = openSyncProject(context, options);
  const state = readMetadataProject(opened);
  const isSelected = selectByPaths(state, context, paths);
  const stale = findStaleItems(state);
  const parts: Parts = lockOnly ? "locks" : schemaOnly ? "schemas" : "all";
  const selected = selectParts(stale.filter(isSelected), parts);
  if (dryRun) return output.data({ stale: selected.map(toJson) }, describeStale(selected));
  if (selected.length === 0) output.say("Nothing is stale.");
  else await context.confirm(`Generate the metadata of ${selected.length} ${selected.length === 1 ? "item" : "items"}?`);
  const outcome = await generate(context, opened, { state, parts, stale, selected });
  output.data(outcome, outcome.generated.flatMap(({ files }) => files).join("\n"));
  requireSuccess(outcome, "Their files are unchanged.");
}

/** Generates all stale metadata before a push. A dry run only reports it. Throws `CommandError` if a lock cannot be built. */
export async function generateBeforePush(context: Context, opened: OpenedProject, { dryRun = false }): Promise<void> {
  const { output } = context;
  const state = readMetadataProject(opened);
  const stale = findStaleItems(state);
  if (stale.length > 0) output.say(`${dryRun ? "A push generates" : "Generating"} the metadata of:\n${describeStale(stale)}`);
  if (!dryRun) requireSuccess(await generate(context, opened, { state, parts: "all", stale, selected: stale }), "Nothing was pushed.");
}

interface Selection {
  state: MetadataProject;
  parts: Parts;
  stale: readonly StaleItem[];
  selected: readonly StaleItem[];
}

async function generate(context: Context, { target }: OpenedProject, { state, parts, stale, selected }: Selection): Promise<Outcome> {
  const client = parts === "schemas" || selected.length === 0 ? undefined : context.client(target);
  await client?.call.users.whoamiGlobal();
  return generateItems({ state, client, parts, output: context.output }, { stale, selected });
}

function requireSuccess({ failed, generated }: Outcome, consequence: string): void {
  if (failed.length === 0) return;
  const names = failed.map(({ kind, path }) => `${kind} ${path}`).join(", ");
  throw new CommandError(
    `The metadata of ${failed.length} of ${failed.length + generated.length} items could not be generated: ${names}. ${consequence}`,
  );
}

const toJson = ({ local: { item }, reasons }: StaleItem) => ({ kind: item.kind, path: item.path, reasons });

const describeStale = (stale: readonly StaleItem[]): string =>
  stale.map(({ local: { item }, reasons }) => `${item.kind} ${item.path}: ${reasons.join("; ")}`).join("\n");
