import { mapInParallel } from "../../contract/utilities/map-in-parallel.ts";
import { hasInferredFields, inferFields, replaceFlowLocks, replaceScript } from "../../core/sync/metadata/generated-item.ts";
import type { LocalItem } from "../../core/sync/metadata/item-sources.ts";
import { forgetUnchanged, pruneHashes, recordItem } from "../../core/sync/metadata/record-hashes.ts";
import type { StaleItem, StaleSource } from "../../core/sync/metadata/stale-items.ts";
import { type ApiClient, ApiError } from "../api/client.ts";
import type { Output } from "../output/output.ts";
import { removeLocalFile, writeLocalFile } from "../project/local-files.ts";
import { writeLockFile } from "./lock-file.ts";
import type { MetadataProject } from "./project-state.ts";
import { type BuildFault, requestFlowLocks, requestScriptLock, type TempSources } from "./request-locks.ts";
import { storeTempSources } from "./temp-sources.ts";

/** The parts of the metadata that are generated. */
export type Parts = "all" | "locks" | "schemas";

interface ItemName {
  kind: string;
  path: string;
}
/** The outcome of a generation. `generated`: with the files that were written or removed. */
export interface Outcome {
  generated: (ItemName & { files: string[] })[];
  failed: (ItemName & BuildFault)[];
}

const nameOf = ({ local: { item } }: StaleItem): ItemName => ({ kind: item.kind, path: item.path });

/** Returns the sources of an item that need a lock of the service. */
const listUnlocked = ({ sources }: StaleItem): StaleSource[] => sources.filter(({ mayHaveLock }) => mayHaveLock);

const hasOldSchema = ({ local: { item } }: StaleItem): boolean => item.kind === "script" && !hasInferredFields(item);

/** Returns the stale items for which the chosen parts must be generated. */
export function selectParts(stale: readonly StaleItem[], parts: Parts): StaleItem[] {
  if (parts === "all") return [...stale];
  return stale.filter((one) => (parts === "schemas" ? hasOldSchema(one) : listUnlocked(one).length > 0));
}

interface Generation {
  state: MetadataProject;
  /** Absent: only schemas are generated, which needs no call. */
  client: ApiClient | undefined;
  parts: Parts;
  output: Output;
}

/**
 * Generates the metadata of stale items and writes it to their files. An item whose lock cannot be built is reported and not changed. The hash of
 * each complete item is recorded at once, so that an interrupted run can continue. `stale`: all stale items, of which `selected` are generated.
 */
export async function generateItems(
  generation: Generation,
  { stale, selected }: { stale: readonly StaleItem[]; selected: readonly StaleItem[] },
): Promise<Outcome> {
  const { state, output } = generation;
  const { project, files } = state;
  const outcome: Outcome = { generated: [], failed: [] };
  const temps = await storeImports(generation, selected);
  let hashes = pruneHashes(state.hashes, files);
  if (selected.length > 0) hashes = forgetUnchanged(hashes, stale);
  await mapInParallel(selected, project.options.parallel ?? 1, async (one) => {
    const name = nameOf(one);
    const built = await generateItem(generation, one, temps);
    if ("error" in built) {
      outcome.failed.push({ ...name, ...built });
      output.say(`${output.style("red", `${name.kind} ${name.path}: ${built.error}`)}${built.log === "" ? "" : `\n${built.log}`}`);
      return;
    }
    const written = writeItem(project.root, one.local, built.local);
    if (built.isComplete) hashes = recordItem(hashes, built.local, files);
    writeLockFile(project.root, hashes);
    outcome.generated.push({ ...name, files: written });
    output.say(`${name.kind} ${name.path}: generated`);
  });
  writeLockFile(project.root, hashes);
  return outcome;
}

/** Stores the scripts that stale sources import, if the workspace lacks this version of them. */
async function storeImports({ state, client, output }: Generation, items: readonly StaleItem[]): Promise<TempSources> {
  const imports = new Set(items.flatMap((one) => listUnlocked(one).flatMap((source) => source.imports)));
  const sources = state.items.flatMap(({ item: { kind, path, content = "" } }) =>
    kind === "script" && imports.has(path) ? [[path, content] as const] : [],
  );
  return client ? storeTempSources(client, new Map(sources), { output, parallel: state.project.options.parallel ?? 1 }) : new Map();
}

/** `isComplete`: no part of the item is stale any more. */
type Generated = { local: LocalItem; isComplete: boolean } | BuildFault;

async function generateItem(generation: Generation, one: StaleItem, temps: TempSources): Promise<Generated> {
  try {
    return await (one.local.item.kind === "flow" ? generateFlow : generateScript)(generation, one, temps);
  } catch (error) {
    // The service refuses this item. Other failures would concern all items.
    if (error instanceof ApiError && (error.status === 400 || error.status === 413 || error.status === 422)) {
      return { error: error.message, log: "" };
    }
    throw error;
  }
}

async function generateScript({ client, parts }: Generation, one: StaleItem, temps: TempSources): Promise<Generated> {
  const { local } = one;
  const [unlocked] = listUnlocked(one);
  const lock = unlocked === undefined ? "" : client && (await requestScriptLock(client, unlocked, temps));
  if (typeof lock === "object") return lock;
  const fields = parts === "locks" ? {} : { fields: inferFields(local.item) };
  return { local: replaceScript(local, { ...fields, lock }), isComplete: lock !== undefined && !(parts === "locks" && hasOldSchema(one)) };
}

async function generateFlow({ state, client }: Generation, one: StaleItem, temps: TempSources): Promise<Generated> {
  const unlocked = listUnlocked(one);
  if (!client) return { local: one.local, isComplete: false };
  const locks = unlocked.length === 0 ? new Map<string, string>() : await requestFlowLocks(client, one.local, unlocked, temps);
  return "error" in locks ? locks : { local: replaceFlowLocks(one.local, locks, state.layout), isComplete: true };
}

/** Writes files that differ, and removes files that the item no longer has. Returns their names. */
function writeItem(root: string, before: LocalItem, after: LocalItem): string[] {
  const written = [...after.files].filter(([file, text]) => before.files.get(file) !== text);
  const removedFiles = [...before.files.keys()].filter((file) => !after.files.has(file));
  for (const [file, text] of written) writeLocalFile(root, file, text);
  for (const file of removedFiles) removeLocalFile(root, file);
  return [...written.map(([file]) => file), ...removedFiles].sort();
}
