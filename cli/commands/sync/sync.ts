import { readFileSync, writeFileSync } from "node:fs";
import { parseExactJson } from "../../../contract/exact-json.ts";
import type { SyncOptions } from "../../../core/sync/config/config.ts";
import type { Direction } from "../../../core/sync/plan.ts";
import type { Context } from "../../context.ts";
import { CommandError, exitCodes, UsageError } from "../../errors.ts";
import { type Change, findMissingFolders, isEffective, planSync, protectFolders, protectSecrets } from "../../sync/changes.ts";
import { listDiffs, type PlanJson, printPlan, summarise, toPlanJson } from "../../sync/plan-text.ts";
import { applyPull } from "../../sync/pull.ts";
import { applyPush } from "../../sync/push/push.ts";
import { type OpenedProject, openOnly, openSession, openSyncProject, type SyncSession } from "../../sync/session.ts";
import { readBase } from "../../sync/state.ts";

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
    const { generateBeforePush } = await import("../project/generate-metadata.ts");
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
    await context.confirm(question);
  }
  await apply();
  if (effective.length > 0) output.say(output.style("green", `Done: ${summarise(effective)}`));
  reply();
}

/** Throws if a push would change something else than the plan, because files or the workspace have changed since. */
function requireSamePlan({ target }: SyncSession, changes: readonly Change[], file: string): void {
  const planned = parseExactJson(readFileSync(file, "utf8")) as Partial<PlanFile>;
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

function openKinds(context: Context, flags: SyncFlags, kinds: ReadonlySet<string> | undefined): OpenedProject {
  const opened = openSyncProject(context, optionsOf(flags));
  return kinds === undefined ? opened : openOnly(opened, kinds);
}

/** Returns the flags that are options of a synchronisation. */
export const optionsOf = ({
  dryRun,
  force,
  pruneSecrets,
  wait,
  autoMetadata,
  plan: _,
  output,
  exitCode,
  ...options
}: SyncFlags): SyncOptions => options;
