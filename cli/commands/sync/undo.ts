import { readBundleDigest } from "../../../core/sync/config/codebase.ts";
import { equalsLocal, type ItemDigest } from "../../../core/sync/digest.ts";
import { compareItems, type SyncItem } from "../../../core/sync/item.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { describeItem, type SnapshotItem } from "../../project/snapshot-item.ts";
import { deleteItem, saveItem } from "../../sync/push/apply.ts";
import { readLastUndo, type UndoRecord } from "../../sync/push/undo.ts";
import { openOnly, openSession, openSyncProject } from "../../sync/session.ts";
import { readBase, writeBase } from "../../sync/state.ts";
import { optionsOf, type SyncFlags } from "./sync.ts";

/** Reverts the changes of the last push, except for items that have changed since. */
export async function runUndo(context: Context, flags: SyncFlags): Promise<void> {
  const { project, target } = openSyncProject(context, optionsOf(flags));
  const { record, forget } = readLastUndo(project.root);
  if (record.url !== target.url || record.workspace !== target.workspace) {
    throw new UsageError(`The last push was to ${record.workspace} at ${record.url}. Choose that workspace to undo it.`);
  }
  const kinds = new Set(record.items.map(({ key }) => key.split(" ", 1)[0] ?? ""));
  const session = await openSession(context, openOnly({ project, target }, kinds));
  const steps = record.items.map((item) => ({ ...item, current: session.remote.get(item.key) }));
  const restorable = steps.filter((step) => describeObstacle(step) === undefined);
  const rest = steps.filter((step) => describeObstacle(step) !== undefined);
  for (const { key, before } of restorable) context.output.say(`${before ? "restore" : "delete"} ${key}`);
  for (const step of rest) context.output.say(`leave ${step.key} (${describeObstacle(step)})`);
  if (flags.dryRun) return;
  if (restorable.length > 0) await context.confirm(`Undo ${restorable.length} changes of the push of ${record.at}?`);
  for (const { before, current } of orderSteps(restorable)) {
    if (before) await saveItem(session.client, before, current?.item, { plainSecrets: false });
    else await deleteItem(session.client, current?.item as SyncItem);
  }
  writeBase(project.root, target, baseBefore(readBase(project.root, target), restorable));
  forget();
  context.output.data({ restored: restorable.map(({ key }) => key), left: rest.map(({ key }) => key) }, "");
}

/** An item that a push changed, and its current state in the workspace. */
type UndoStep = UndoRecord["items"][number] & { current: SnapshotItem | undefined };

/** Orders the steps: first items that are restored, each after those that it may refer to, such as its folder. Then deletions, the other way around. */
function orderSteps(steps: readonly UndoStep[]): UndoStep[] {
  const placeOf = ({ key }: UndoStep) => {
    const [kind = "", path = ""] = key.split(/ (.*)/s);
    return { kind, path };
  };
  const ordered = steps.toSorted((a, b) => compareItems(placeOf(a), placeOf(b)));
  return [...ordered.filter(({ before }) => before), ...ordered.filter(({ before }) => !before).toReversed()];
}

/** Returns the reason for which the change of an item cannot be undone, or `undefined` if it can. */
function describeObstacle({ before, after, current }: UndoStep): string | undefined {
  const isUnchanged = after === undefined ? current === undefined : current !== undefined && equalsLocal(after, current.digest);
  if (!isUnchanged) return "it has changed since the push";
  const bundle = before && readBundleDigest(before);
  // The service reuses the bundle of the previous version if that has the same source.
  const isStored = current !== undefined && bundle === readBundleDigest(current.item) && before?.content === current.item.content;
  if (bundle === undefined || isStored) return undefined;
  return "its former bundle is not stored here; check out the former sources and push them";
}

/** Returns the items that both sides had in common before the push, so that the next plan contains the changes of the files again. */
function baseBefore(base: ReadonlyMap<string, ItemDigest> | undefined, undone: readonly UndoStep[]): Map<string, ItemDigest> {
  const restored = new Map(base);
  for (const { key, before, current } of undone) {
    if (before) restored.set(key, describeItem(before, () => new Map(), current?.bundled).digest);
    else restored.delete(key);
  }
  return restored;
}
