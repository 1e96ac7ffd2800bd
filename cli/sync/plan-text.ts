import { createTwoFilesPatch } from "diff";
import { formatDigest } from "../../core/sync/digest.ts";
import { isSecret } from "../../core/sync/item.ts";
import type { Direction } from "../../core/sync/plan.ts";
import type { Output } from "../output/output.ts";
import type { Change } from "./changes.ts";

const marks = { create: "+", change: "~", delete: "-", conflict: "!", skip: " " } as const;
const colors = { create: "green", change: "yellow", delete: "red", conflict: "red", skip: "dim" } as const;

/** Prints a plan for people: a line for each item, and on request the difference of its files. */
export function printPlan(changes: readonly Change[], direction: Direction, output: Output, { diffs }: { diffs: boolean }): void {
  for (const change of changes) {
    const { type, kind, path, reason } = change;
    const line = `${marks[type]} ${type} ${kind} ${path}${reason ? ` (${reason})` : ""}`;
    output.say(output.style(colors[type], line));
    if (diffs && type !== "skip") for (const diff of listDiffs(change, direction)) output.say(diff);
  }
  output.say(summarise(changes));
}

const totals = {
  create: "to create",
  change: "to change",
  delete: "to delete",
  conflict: "in conflict",
  skip: "to skip",
} as const;

export function summarise(changes: readonly Change[]): string {
  const counts = Map.groupBy(changes, ({ type }) => type);
  const parts = (Object.keys(totals) as Change["type"][]).flatMap((type) => {
    const count = counts.get(type)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${totals[type]}`];
  });
  return parts.length === 0 ? "Nothing differs." : `${parts.join(", ")}.`;
}

/** Kinds whose files may contain passwords: their differences are not shown, because plans end up in logs. */
const CONFIDENTIAL = new Set(["resource", "settings", "encryption_key"]);

const isConfidential = ({ kind, local, remote }: Change): boolean =>
  CONFIDENTIAL.has(kind) || isSecret(local?.item) || isSecret(remote?.item);

/** Returns the differences between the files of both sides, from the side that changes to its new state. */
export function listDiffs(change: Change, direction: Direction): string[] {
  if (isConfidential(change)) return ["  (its values are not shown)"];
  const [from, to] = direction === "push" ? [change.remote, change.local] : [change.local, change.remote];
  const names = [...new Set([...(from?.files.keys() ?? []), ...(to?.files.keys() ?? [])])].sort();
  return names.flatMap((name) => {
    const [before = "", after = ""] = [from?.files.get(name), to?.files.get(name)];
    return before === after ? [] : [createTwoFilesPatch(name, name, before, after, undefined, undefined, { context: 2 }).trimEnd()];
  });
}

/** Returns a plan as data: for `--json` and for plan files. */
export const toPlanJson = (changes: readonly Change[]) =>
  changes.map(({ type, kind, path, reason, local, remote }) => ({
    type,
    kind,
    path,
    ...(reason ? { reason } : {}),
    local: local ? formatDigest(local.digest) : null,
    remote: remote ? formatDigest(remote.digest) : null,
  }));
export type PlanJson = ReturnType<typeof toPlanJson>;
