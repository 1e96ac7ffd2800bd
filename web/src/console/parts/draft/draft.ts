import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { keyOfPerson, listKeysOfPerson, readStored, store } from "../../data/browser-storage.ts";

/** Older drafts are removed. */
const KEPT_MS = 7 * 24 * 3600_000;
const MOST_KEPT = 50;
/** All drafts together must fit into the storage of a browser. */
const MAX_CHARACTERS = 64 * 1024;
const DRAFT = "draft";

/** The key of a draft: the person, the workspace (empty for the account), and the form. */
export const keyOfDraft = (person: string, workspace: string, ...form: readonly string[]): string =>
  keyOfPerson(DRAFT, person, workspace, ...form);

function readEntry(key: string): { atMs: number; value: unknown } | undefined {
  const stored = readStored(key);
  return isJsonObject(stored) && typeof stored["atMs"] === "number" ? { atMs: stored["atMs"], value: stored["value"] } : undefined;
}

/** Returns what was typed into a form and not sent, also in another tab. */
export function readDraft(key: string, nowMs: number = Date.now()): unknown {
  const entry = readEntry(key);
  return entry && nowMs - entry.atMs < KEPT_MS ? entry.value : undefined;
}

/** Keeps what was typed. `undefined` removes it, and so does a value that is too large. The caller leaves secrets out. */
export function keepDraft(key: string, value: unknown, nowMs: number = Date.now()): void {
  const text = value === undefined ? undefined : JSON.stringify(value);
  const isKept = text !== undefined && text.length <= MAX_CHARACTERS;
  store(key, isKept ? { atMs: nowMs, value } : undefined);
  const others = listKeysOfPerson(DRAFT).map((each) => ({ each, atMs: readEntry(each)?.atMs ?? 0 }));
  const kept = others.filter(({ atMs }) => nowMs - atMs < KEPT_MS).sort((a, b) => b.atMs - a.atMs);
  const keys = new Set(kept.slice(0, MOST_KEPT).map(({ each }) => each));
  for (const { each } of others) if (!keys.has(each)) store(each, undefined);
}
