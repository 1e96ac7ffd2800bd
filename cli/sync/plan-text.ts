import { createTwoFilesPatch } from "diff";
import type { SyncOptions } from "../../core/sync/config/config.ts";
import { formatDigest } from "../../core/sync/digest.ts";
import { isConfidential, isSecret } from "../../core/sync/item.ts";
import type { Direction } from "../../core/sync/plan.ts";
import type { Output } from "../output/output.ts";
import type { Change } from "./changes.ts";

const marks = { create: "+", change: "~", delete: "-", conflict: "!", skip: " " } as const;
const colors = { create: "green", change: "yellow", delete: "red", conflict: "red", skip: "dim" } as const;

/** The level of detail of a plan. `short`: differences of changed files only; a lock, and a file that is new or removed, is one line. */
type Diffs = "none" | "short" | "full";

/** Formats a plan for people: a line for each item, and the differences of its files. */
export function formatPlan(
  changes: readonly Change[],
  direction: Direction,
  { diffs, style = (_, text) => text }: { diffs: Diffs; style?: Output["style"] },
): string {
  const lines = changes.flatMap((change) => {
    const { type, kind, path, reason } = change;
    const line = style(colors[type], `${marks[type]} ${type} ${kind} ${path}${reason ? ` (${reason})` : ""}`);
    return type === "skip" || diffs === "none" ? [line] : [line, ...listDiffs(change, direction, diffs)];
  });
  return [...lines, summarise(changes)].join("\n");
}

/**
 * Returns the question before changes are applied. A repository can configure that its files contain readable secrets, and a person who only
 * wanted a copy of a workspace could publish them with the next commit.
 */
export function describeQuestion(changes: readonly Change[], direction: Direction, { plainSecrets = false }: SyncOptions): string {
  if (direction === "push") return `Change ${changes.length} items in the workspace?`;
  const written = changes.filter(({ type }) => type !== "delete").map(({ remote }) => remote?.item);
  const secrets = plainSecrets ? written.filter(isSecret).length : 0;
  const readable = [
    ...(secrets > 0 ? [`${secrets} ${secrets === 1 ? "secret" : "secrets"} as plain text`] : []),
    ...(written.some((item) => item?.kind === "encryption_key") ? ["the key that decrypts exported secrets"] : []),
  ];
  return `Change ${changes.length} items here${readable.length > 0 ? `, with ${readable.join(" and ")}` : ""}?`;
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

/** Plans end up in logs. */
const hidesValues = ({ local, remote }: Change): boolean => isConfidential(local?.item) || isConfidential(remote?.item);

/** Returns the differences between the files of both sides, from the current state of the changing side to its new state. */
export function listDiffs(change: Change, direction: Direction, diffs: Exclude<Diffs, "none">): string[] {
  if (hidesValues(change)) return ["  (its values are not shown)"];
  const [from, to] = direction === "push" ? [change.remote, change.local] : [change.local, change.remote];
  const names = [...new Set([...(from?.files.keys() ?? []), ...(to?.files.keys() ?? [])])].sort();
  return names.flatMap((name) => {
    const [before = "", after = ""] = [from?.files.get(name), to?.files.get(name)];
    if (before === after) return [];
    if (diffs === "full") return [createTwoFilesPatch(name, name, before, after, undefined, undefined, { context: 2 }).trimEnd()];
    if (before === "" || after === "") return [`  ${before === "" ? "+" : "-"} ${name} (${countLines(before || after)})`];
    if (name.endsWith(".lock")) return [`  ~ ${name} (${countLines(after)}, before ${countLines(before)})`];
    return [formatHunks(name, before, after)];
  });
}

/** The hunks of a difference, without the header that names the file three times. */
function formatHunks(name: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(name, name, before, after, undefined, undefined, { context: 1 });
  return [
    `  ~ ${name}`,
    ...patch
      .slice(patch.indexOf("\n@@") + 1)
      .trimEnd()
      .split("\n")
      .map((line) => `    ${line}`),
  ].join("\n");
}

function countLines(text: string): string {
  const count = text.replace(/\n$/, "").split("\n").length;
  return `${count} ${count === 1 ? "line" : "lines"}`;
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
