import { mapInParallel } from "../../../contract/utilities/map-in-parallel.ts";
import type { ItemDigest } from "../../../core/sync/digest.ts";
import type { SyncItem } from "../../../core/sync/item.ts";
import type { AddressStep } from "../../../core/sync/order-addresses.ts";
import type { Context } from "../../context.ts";
import { CommandError, exitCodes } from "../../errors.ts";
import { findLastSubject } from "../../project/git.ts";
import { type Change, isEffective } from "../changes.ts";
import { mergeBase } from "../pull.ts";
import type { SyncSession } from "../session.ts";
import { readBase, writeBase } from "../state.ts";
import { deleteItem, saveItem } from "./apply.ts";
import { groupChanges } from "./group-changes.ts";
import { saveUndo } from "./undo.ts";
import { waitForBuilds } from "./wait.ts";
import { watchStop } from "./watch-stop.ts";

/**
 * Makes the changes of a push. Saves what it replaces before the first one. Throws `CommandError`, which lists the changes that were made and
 * those that were not.
 */
export async function applyPush(
  context: Context,
  session: SyncSession,
  changes: readonly Change[],
  { wait = false, force = false } = {},
): Promise<void> {
  const { project, target, client } = session;
  const effective = changes.filter(isEffective);
  await saveUndo(session, effective);
  const message = project.options.message ?? findLastSubject(project.root);
  const options = { plainSecrets: project.options.plainSecrets ?? false, message, force, conditional: !force };
  const done = new Set<string>();
  const scripts = new Map<string, string>();
  /** Items of which this push has replaced the version of the plan: by an interim address, or by a new key under which secrets are sealed again. */
  const replaced = new Set(
    effective.some(({ kind }) => kind === "encryption_key") ? effective.flatMap(({ kind, key }) => (kind === "variable" ? [key] : [])) : [],
  );
  const stop = watchStop(context);
  const apply = async ({ change, interim }: AddressStep<Change>): Promise<void> => {
    stop.check();
    if (interim) {
      await saveItem(client, interim, change.remote?.item, options);
      replaced.add(change.key);
      return;
    }
    const read = replaced.has(change.key) ? withoutVersion(change.remote?.item) : change.remote?.item;
    if (change.type === "delete" && read) await deleteItem(client, read, options);
    else if (change.local) {
      const { item, bundle } = change.local;
      const saved = scripts.get(change.path);
      // A script that is saved again follows the version that this push has created.
      const again = change.kind === "script" && saved !== undefined;
      const before = again ? { ...item, version: saved } : read;
      const { scriptHash } = await saveItem(client, item, before, { ...options, bundle, again });
      if (scriptHash !== undefined) scripts.set(change.path, scriptHash);
    }
    done.add(change.key);
    context.output.detail(`${change.type} ${change.kind} ${change.path}`);
  };
  try {
    for (const group of await groupChanges(effective))
      await mapInParallel(group, group[0]?.change.kind === "folder" ? 1 : (project.options.parallel ?? 1), apply);
  } catch (error) {
    throw describeInterruption(error, effective, done);
  } finally {
    stop.end();
    writeBase(project.root, target, baseAfter(session, changes, done));
  }
  if (wait)
    await waitForBuilds(context, client, {
      scripts,
      flows: effective.filter(({ kind, type }) => kind === "flow" && type !== "delete").map(({ path }) => path),
    });
}

function withoutVersion(item: SyncItem | undefined): SyncItem | undefined {
  if (!item) return undefined;
  const { version: _, ...rest } = item;
  return rest;
}

function baseAfter(
  { project, target, local, remote }: SyncSession,
  changes: readonly Change[],
  done: ReadonlySet<string>,
): Map<string, ItemDigest> {
  const before = readBase(project.root, target);
  const base = mergeBase({ before, local, remote, changes, applied: done });
  // Without a state, the push has decided for the local files. The remaining changes must not become conflicts.
  if (!before) for (const { key, remote: theirs } of changes) if (theirs) base.set(key, theirs.digest);
  for (const key of done) {
    const item = local.get(key);
    if (item) base.set(key, item.digest);
    else base.delete(key);
  }
  return base;
}

function describeInterruption(error: unknown, changes: readonly Change[], done: ReadonlySet<string>): CommandError {
  const list = (isDone: boolean) =>
    changes.filter(({ key }) => done.has(key) === isDone).map(({ type, kind, path }) => `  ${type} ${kind} ${path}`);
  const [finished, open] = [list(true), list(false)];
  const reason = error instanceof Error ? error.message : String(error);
  const parts = [
    reason,
    ...(finished.length > 0 ? [`Done (${finished.length}):`, ...finished] : []),
    `Not done (${open.length}):`,
    ...open,
  ];
  const exitCode = error instanceof CommandError ? error.exitCode : exitCodes.failed;
  return new CommandError(`${parts.join("\n")}\nRun the same command again to continue.`, { exitCode, cause: error });
}
