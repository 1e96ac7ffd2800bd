import { readFileSync, writeFileSync } from "node:fs";
import { readBundleDigest } from "../../core/sync/codebase.ts";
import type { SyncOptions } from "../../core/sync/config.ts";
import { equalsLocal, type ItemDigest } from "../../core/sync/digest.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import type { Direction } from "../../core/sync/plan.ts";
import { selectKinds } from "../../core/sync/select.ts";
import type { Context } from "../context.ts";
import { CommandError, exitCodes, UsageError } from "../errors.ts";
import { requireConfirmation } from "../output/prompts.ts";
import { deleteItem, saveItem } from "../sync/apply.ts";
import { type Change, findMissingFolders, isEffective, planSync, protectFolders, protectSecrets } from "../sync/changes.ts";
import { listDiffs, type PlanJson, printPlan, summarise, toPlanJson } from "../sync/plan-text.ts";
import { applyPull } from "../sync/pull.ts";
import { applyPush } from "../sync/push.ts";
import { type OpenedProject, openSession, openSyncProject, type SyncSession } from "../sync/session.ts";
import { describeItem, type SnapshotItem } from "../sync/snapshot-item.ts";
import { readBase, writeBase } from "../sync/state.ts";
import { readLastUndo, type UndoRecord } from "../sync/undo.ts";

export interface SyncFlags extends SyncOptions {
  dryRun?: boolean;
  force?: boolean;
  pruneSecrets?: boolean;
  wait?: boolean;
  /** Generate stale metadata before the push. */
  autoMetadata?: boolean;
  /** Path of a plan file to apply. */
  plan?: string;
  /** Path of a plan file to write. */
  output?: string;
  exitCode?: boolean;
}

/** A plan with everything that it depends on, as `plan -o` writes it. */
interface PlanFile {
  version: 1;
  url: string;
  workspace: string;
  changes: PlanJson;
}

function plan(session: SyncSession, direction: Direction, { force = false, pruneSecrets = false }: SyncFlags): Change[] {
  const { project, target, local, remote } = session;
  const changes = planSync(direction, { local, remote, base: readBase(project.root, target), force });
  if (direction === "pull") return changes;
  requireFolders(changes, session.folders);
  return protectFolders(protectSecrets(changes, { pruneSecrets }), local);
}

function requireFolders(changes: readonly Change[], folders: ReadonlySet<string>): void {
  const missing = findMissingFolders(changes, folders);
  if (missing.length === 0) return;
  const lines = missing.map(
    (name) =>
      `f/${name}: there is no folder ${name} in the workspace, or you may not read it. Create its file with: svc folder new ${name}`,
  );
  throw new UsageError(lines.join("\n"));
}

/** `kinds`: synchronises only these, whatever the options are. */
export async function runPull(context: Context, flags: SyncFlags, kinds?: ReadonlySet<string>): Promise<void> {
  const session = await openSession(context, openKinds(context, flags, kinds));
  const changes = plan(session, "pull", flags);
  await proceed(context, changes, "pull", flags, async () => {
    applyPull(session, changes);
    await session.client.find("shared_ui/get");
  });
}

/** `kinds`: synchronises only these, whatever the options are. */
export async function runPush(context: Context, flags: SyncFlags, kinds?: ReadonlySet<string>): Promise<void> {
  const opened = openKinds(context, flags, kinds);
  if (flags.autoMetadata) {
    const { generateBeforePush } = await import("./generate-metadata.ts");
    await generateBeforePush(context, opened, flags);
  }
  const session = await openSession(context, opened, { lint: true, bundles: () => true });
  const changes = plan(session, "push", flags);
  if (flags.plan !== undefined) requireSamePlan(session, changes, flags.plan);
  await proceed(context, changes, "push", flags, () => {
    const { wait = false, force = false } = flags;
    return applyPush(context, session, changes, { wait, force });
  });
}

export async function runPlan(context: Context, flags: SyncFlags): Promise<number> {
  const session = await openSession(context, openSyncProject(context, optionsOf(flags)), { bundles: () => true });
  const changes = plan(session, "push", flags);
  if (flags.output !== undefined) {
    const file: PlanFile = { version: 1, url: session.target.url, workspace: session.target.workspace, changes: toPlanJson(changes) };
    writeFileSync(flags.output, `${JSON.stringify(file, undefined, 2)}\n`);
  }
  printPlan(changes, "push", context.output, { diffs: !context.output.json });
  if (context.output.json) context.output.data({ changes: toPlanJson(changes) }, "");
  const differs = changes.some((change) => isEffective(change) || change.type === "conflict");
  return flags.exitCode && differs ? exitCodes.changes : exitCodes.done;
}

/** Shows a plan, asks, and applies it. Conflicts stop it. */
async function proceed(
  context: Context,
  changes: readonly Change[],
  direction: Direction,
  flags: SyncFlags,
  apply: () => unknown,
): Promise<void> {
  const { output } = context;
  printPlan(changes, direction, output, { diffs: output.verbose });
  const conflicts = changes.filter(({ type }) => type === "conflict");
  const reply = () => output.data({ changes: toPlanJson(changes) }, "");
  if (conflicts.length > 0) {
    for (const change of conflicts) for (const diff of listDiffs(change, direction)) output.say(diff);
    const side = direction === "pull" ? "the workspace's" : "your";
    throw new CommandError(`${conflicts.length} items changed on both sides. Nothing was changed. With --force, ${side} version wins.`);
  }
  if (flags.dryRun) return reply();
  const effective = changes.filter(isEffective);
  if (effective.length > 0) {
    const question = direction === "pull" ? `Change ${effective.length} items here?` : `Change ${effective.length} items in the workspace?`;
    await requireConfirmation(question, context.flags);
  }
  await apply();
  if (effective.length > 0) output.say(output.style("green", `Done: ${summarise(effective)}`));
  reply();
}

/** Throws if a push would change something else than the plan, because files or the workspace have changed since. */
function requireSamePlan({ target }: SyncSession, changes: readonly Change[], file: string): void {
  const planned = JSON.parse(readFileSync(file, "utf8")) as Partial<PlanFile>;
  if (planned.version !== 1 || !Array.isArray(planned.changes)) throw new UsageError(`${file} is not a plan of svc.`);
  if (planned.url !== target.url || planned.workspace !== target.workspace) {
    throw new UsageError(`${file} is a plan for ${planned.workspace} at ${planned.url}, not for ${target.workspace} at ${target.url}.`);
  }
  const describe = (list: PlanJson) =>
    list.filter(isEffective).map((change) => JSON.stringify([change.type, change.kind, change.path, change.local, change.remote]));
  const [before, now] = [describe(planned.changes), describe(toPlanJson(changes))];
  const moved = [...now.filter((line) => !before.includes(line)), ...before.filter((line) => !now.includes(line))];
  const names = [...new Set(moved.map((line) => (JSON.parse(line) as string[]).slice(1, 3).join(" ")))];
  if (names.length > 0)
    throw new CommandError(
      `The plan no longer holds, because these items have changed since: ${names.join(", ")}. Run: svc sync plan -o ${file}`,
    );
}

/** Puts back what the last push changed, where nothing has changed since. */
export async function runUndo(context: Context, flags: SyncFlags): Promise<void> {
  const { project, target } = openSyncProject(context, optionsOf(flags));
  const { record, forget } = readLastUndo(project.root);
  if (record.url !== target.url || record.workspace !== target.workspace) {
    throw new UsageError(`The last push was to ${record.workspace} at ${record.url}. Choose that workspace to undo it.`);
  }
  const kinds = new Set(record.items.map(({ key }) => key.split(" ", 1)[0] ?? ""));
  const session = await openSession(context, withKinds({ project, target }, kinds));
  const steps = record.items.map((item) => ({ ...item, current: session.remote.get(item.key) }));
  const restorable = steps.filter((step) => describeObstacle(step) === undefined);
  const rest = steps.filter((step) => describeObstacle(step) !== undefined);
  for (const { key, before } of restorable) context.output.say(`${before ? "restore" : "delete"} ${key}`);
  for (const step of rest) context.output.say(`leave ${step.key} (${describeObstacle(step)})`);
  if (flags.dryRun) return;
  if (restorable.length > 0) await requireConfirmation(`Undo ${restorable.length} changes of the push of ${record.at}?`, context.flags);
  for (const { before, current } of restorable.toReversed()) {
    if (before) await saveItem(session.client, before, current?.item, { plainSecrets: false });
    else await deleteItem(session.client, current?.item as SyncItem);
  }
  writeBase(project.root, target, baseBefore(readBase(project.root, target), restorable));
  forget();
  context.output.data({ restored: restorable.map(({ key }) => key), left: rest.map(({ key }) => key) }, "");
}

/** An item that a push changed, and what the workspace has now. */
type UndoStep = UndoRecord["items"][number] & { current: SnapshotItem | undefined };

/** Returns why the change of an item cannot be undone, or `undefined` if it can. */
function describeObstacle({ before, after, current }: UndoStep): string | undefined {
  const isUnchanged = after === undefined ? current === undefined : current !== undefined && equalsLocal(after, current.digest);
  if (!isUnchanged) return "it has changed since the push";
  const bundle = before && readBundleDigest(before);
  // The service takes a bundle from the version before, if that has the same source.
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

const withKinds = ({ project, target }: OpenedProject, kinds: ReadonlySet<string>): OpenedProject => ({
  project: { ...project, options: selectKinds(project.options, kinds) },
  target,
});

function openKinds(context: Context, flags: SyncFlags, kinds: ReadonlySet<string> | undefined): OpenedProject {
  const opened = openSyncProject(context, optionsOf(flags));
  return kinds === undefined ? opened : withKinds(opened, kinds);
}

/** Returns the flags that are options of a synchronisation. */
const optionsOf = ({ dryRun, force, pruneSecrets, wait, autoMetadata, plan: _, output, exitCode, ...options }: SyncFlags): SyncOptions =>
  options;
