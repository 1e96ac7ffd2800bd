import type { SyncOptions } from "../../../core/sync/config/config.ts";
import { describeImpossibleChanges } from "../../../core/sync/order-addresses.ts";
import type { Direction } from "../../../core/sync/plan.ts";
import type { Context } from "../../context.ts";
import { CommandError, exitCodes, UsageError } from "../../errors.ts";
import { type Change, findMissingFolders, isEffective, planSync, protectFolders, protectSecrets } from "../../sync/changes.ts";
import { type PlanFile, readPlanFile, selectPlanned, writePlanFile } from "../../sync/plan-file.ts";
import { describeQuestion, formatPlan, listDiffs, summarise, toPlanJson } from "../../sync/plan-text.ts";
import { applyPull } from "../../sync/pull.ts";
import { applyPush } from "../../sync/push/push.ts";
import { type OpenedProject, openOnly, openSession, openSyncProject, type SyncSession } from "../../sync/session.ts";
import { readBase } from "../../sync/state.ts";

export interface SyncFlags extends SyncOptions {
  dryRun?: boolean;
  /** Bundle scripts of codebases although nothing is pushed. */
  bundle?: boolean;
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

function plan(
  session: SyncSession,
  direction: Direction,
  { force = false, pruneSecrets = false }: SyncFlags,
  planned?: { file: string; content: PlanFile },
): Change[] {
  const { project, target, local, remote, hasBundles } = session;
  const changes = planSync(direction, { local, remote, base: readBase(project.root, target), force, hasBundles });
  if (direction === "pull") return changes;
  const allowed = protectFolders(protectSecrets(changes, { pruneSecrets }), local);
  const { file, content } = planned ?? {};
  const chosen = file !== undefined && content ? selectPlanned(allowed, content, { file, local, remote }) : allowed;
  requireFolders(chosen, session.folders);
  requirePossible(chosen);
  return chosen;
}

function requirePossible(changes: readonly Change[]): void {
  const effective = changes.filter(isEffective).map(({ kind, remote, local }) => ({ kind, before: remote?.item, after: local?.item }));
  const sentences = describeImpossibleChanges(effective);
  if (sentences.length > 0) throw new UsageError(sentences.join("\n"));
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
  await proceed(context, changes, { direction: "pull", options: session.project.options }, flags, async () => {
    applyPull(session, changes);
    await session.client.find.workspaces.getSharedUi();
  });
}

/** `kinds`: synchronises only these, whatever the options are. */
export async function runPush(context: Context, flags: SyncFlags, kinds?: ReadonlySet<string>): Promise<void> {
  const opened = openKinds(context, flags, kinds);
  const planned = flags.plan === undefined ? undefined : { file: flags.plan, content: readPlanFile(flags.plan, opened.target) };
  if (flags.autoMetadata) {
    const { generateBeforePush } = await import("../project/generate-metadata.ts");
    await generateBeforePush(context, opened, flags);
  }
  const session = await openSession(context, opened, { lint: true, bundles: !flags.dryRun || flags.bundle === true });
  const changes = plan(session, "push", flags, planned);
  await proceed(context, changes, { direction: "push", options: session.project.options }, flags, () => {
    const { wait = false, force = false } = flags;
    return applyPush(context, session, changes, { wait, force });
  });
}

export async function runPlan(context: Context, flags: SyncFlags): Promise<number> {
  const { bundle = false } = flags;
  const session = await openSession(context, openSyncProject(context, optionsOf(flags)), { lint: true, bundles: bundle });
  if (flags.output !== undefined && !session.hasBundles && [...session.local.values()].some(({ bundled }) => bundled))
    throw new UsageError("A plan in a file contains the digests of bundles. Add --bundle to make them.");
  const changes = plan(session, "push", flags);
  if (flags.output !== undefined) writePlanFile(session.project, flags.output, session.target, changes);
  context.output.data({ changes: toPlanJson(changes) }, formatPlan(changes, "push", { diffs: context.output.verbose ? "full" : "short" }));
  const differs = changes.some((change) => isEffective(change) || change.type === "conflict");
  return flags.exitCode && differs ? exitCodes.changes : exitCodes.done;
}

/** Shows a plan, asks, and applies it. Conflicts stop it. */
async function proceed(
  context: Context,
  changes: readonly Change[],
  { direction, options }: { direction: Direction; options: SyncOptions },
  flags: SyncFlags,
  apply: () => unknown,
): Promise<void> {
  const { output } = context;
  output.say(formatPlan(changes, direction, { diffs: output.verbose ? "full" : "none", style: (...args) => output.style(...args) }));
  const conflicts = changes.filter(({ type }) => type === "conflict");
  const reply = () => output.data({ changes: toPlanJson(changes) }, "");
  if (conflicts.length > 0) {
    for (const change of conflicts) for (const diff of listDiffs(change, direction, "short")) output.say(diff);
    const side = direction === "pull" ? "the workspace's" : "your";
    throw new CommandError(`${conflicts.length} items changed on both sides. Nothing was changed. With --force, ${side} version wins.`);
  }
  if (flags.dryRun) return reply();
  const effective = changes.filter(isEffective);
  if (effective.length > 0) {
    await context.confirm(describeQuestion(effective, direction, options));
  }
  await apply();
  if (effective.length > 0) output.say(output.style("green", `Done: ${summarise(effective)}`));
  reply();
}

function openKinds(context: Context, flags: SyncFlags, kinds: ReadonlySet<string> | undefined): OpenedProject {
  const opened = openSyncProject(context, optionsOf(flags));
  return kinds === undefined ? opened : openOnly(opened, kinds);
}

/** Returns the flags that are options of a synchronisation. */
export const optionsOf = ({
  dryRun,
  bundle,
  force,
  pruneSecrets,
  wait,
  autoMetadata,
  plan: _,
  output,
  exitCode,
  ...options
}: SyncFlags): SyncOptions => options;
