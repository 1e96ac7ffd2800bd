import { isJsonObject } from "../../../../contract/json/json-object.ts";
import { keyOfPerson, readStored, store } from "./browser-storage.ts";

/** A script or a flow, and when the person last used it. */
export interface Recent {
  kind: "script" | "flow";
  path: string;
  atMs: number;
}

/** More would not be read. */
const MOST_KEPT = 20;

const isRecent = (value: unknown): value is Recent =>
  isJsonObject(value) &&
  (value["kind"] === "script" || value["kind"] === "flow") &&
  typeof value["path"] === "string" &&
  typeof value["atMs"] === "number";

const keyOf = (workspace: string, username: string) => keyOfPerson("recent", username, workspace);

/** Returns what the person has opened in this browser, the last first. */
export function listOpened(workspace: string, username: string): Recent[] {
  const stored = readStored(keyOf(workspace, username));
  return Array.isArray(stored) ? stored.filter(isRecent) : [];
}

/** Notes that the person has opened a script or a flow. The browser stores its path and the time. */
export function noteOpened(workspace: string, username: string, opened: Recent): void {
  store(keyOf(workspace, username), mergeRecent([opened], listOpened(workspace, username)).slice(0, MOST_KEPT));
}

/** Merges lists of recent items: each item once, at its last time, the last first. */
export function mergeRecent(...lists: readonly (readonly Recent[])[]): Recent[] {
  const newest = new Map<string, Recent>();
  for (const item of lists.flat().sort((a, b) => a.atMs - b.atMs)) newest.set(`${item.kind} ${item.path}`, item);
  return [...newest.values()].sort((a, b) => b.atMs - a.atMs);
}
