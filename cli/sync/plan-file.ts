import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { formatDigest } from "../../core/sync/digest.ts";
import { CommandError, UsageError } from "../errors.ts";
import type { Target } from "../profiles/target.ts";
import { placeWithoutLinks } from "../project/links.ts";
import { type Project, toProjectPath } from "../project/project.ts";
import type { Snapshot } from "../project/snapshots.ts";
import { type Change, isEffective } from "./changes.ts";
import { toPlanJson } from "./plan-text.ts";

const planSchema = z.object({
  version: z.literal(1),
  url: z.string(),
  workspace: z.string(),
  changes: z.array(
    z.object({
      type: z.enum(["create", "change", "delete", "conflict", "skip"]),
      kind: z.string(),
      path: z.string(),
      /** The digests of both versions of the item. */
      local: z.string().nullable(),
      remote: z.string().nullable(),
    }),
  ),
});

/** A plan with everything on which it depends, in the format of `svc sync plan -o`. */
export type PlanFile = z.output<typeof planSchema>;
type PlannedChange = PlanFile["changes"][number];

/** Writes a plan. A file of the project must not be a link. Throws `CommandError`. */
export function writePlanFile(project: Pick<Project, "root">, file: string, { url, workspace }: Target, changes: readonly Change[]): void {
  const path = toProjectPath(project, process.cwd(), file);
  const fullPath = path === ".." || path.startsWith("../") ? resolve(file) : placeWithoutLinks(project.root, path);
  const plan: PlanFile = { version: 1, url, workspace, changes: toPlanJson(changes) };
  try {
    writeFileSync(fullPath, `${JSON.stringify(plan, undefined, 2)}\n`);
  } catch (error) {
    throw new UsageError(`The plan cannot be written: ${(error as Error).message}`);
  }
}

/** Reads a plan for a target. Throws `UsageError` for a file that is not a plan, or a plan for another target. */
export function readPlanFile(file: string, target: Pick<Target, "url" | "workspace">): PlanFile {
  const parsed = planSchema.safeParse(readJson(file));
  if (!parsed.success) throw new UsageError(`${file} is not a plan of svc. Make one with: svc sync plan -o ${file}`);
  const { url, workspace } = parsed.data;
  if (url === target.url && workspace === target.workspace) return parsed.data;
  throw new UsageError(`${file} is a plan for ${workspace} at ${url}, not for ${target.workspace} at ${target.url}.`);
}

/** Returns `undefined` for a text that is not JSON. */
function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`The plan cannot be read: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Limits changes to those of a plan; the others are skipped. An item that an earlier attempt has applied counts as done. Throws `CommandError` if
 * an item of the plan has changed since.
 */
export function selectPlanned(
  changes: readonly Change[],
  plan: PlanFile,
  { file, local, remote }: { file: string; local: Snapshot; remote: Snapshot },
): Change[] {
  const plannedChanges = new Map(plan.changes.filter(isEffective).map((one) => [keyOf(one), one]));
  const now = new Map(toPlanJson(changes).map((one) => [keyOf(one), one]));
  const moved = [...plannedChanges].filter(([key, planned]) => {
    const current = now.get(key);
    return current ? !isSame(planned, current) : !isDone(planned, local, remote);
  });
  if (moved.length > 0) {
    const names = moved.map(([key]) => key).join(", ");
    throw new CommandError(`The plan no longer holds, because these items have changed since: ${names}. Run: svc sync plan -o ${file}`);
  }
  return changes.map((change) =>
    plannedChanges.has(change.key) ? change : { ...change, type: "skip", reason: "it is not part of the plan" },
  );
}

const keyOf = ({ kind, path }: Pick<PlannedChange, "kind" | "path">): string => `${kind} ${path}`;

const isSame = (a: Pick<PlannedChange, "type" | "local" | "remote">, b: Pick<PlannedChange, "type" | "local" | "remote">): boolean =>
  a.type === b.type && a.local === b.local && a.remote === b.remote;

/** Returns whether the workspace already has the state that the plan would create. */
function isDone(planned: PlannedChange, local: Snapshot, remote: Snapshot): boolean {
  const mine = local.get(keyOf(planned));
  if (planned.type === "delete") return mine === undefined && !remote.has(keyOf(planned));
  return mine !== undefined && formatDigest(mine.digest) === planned.local;
}
