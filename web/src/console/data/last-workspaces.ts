import { isJsonObject } from "../../../../contract/json/json-object.ts";
import { readStored, store } from "./browser-storage.ts";

/** The times at which this browser last opened workspaces, by their ids. */
type Uses = Record<string, number>;

const KEY = "svc.workspaces";

function readUses(): Uses {
  const stored = readStored(KEY);
  return isJsonObject(stored) ? (stored as Uses) : {};
}

export const lastUseOf = (workspace: string): number | undefined => readUses()[workspace];

/** Notes that a workspace was opened, for the switcher and the next sign-in. */
export const noteUse = (workspace: string): void => store(KEY, { ...readUses(), [workspace]: Date.now() });

/** Returns the workspace to open: the one that was used last, otherwise the first. */
export function chooseWorkspace(ids: readonly string[], uses: Uses = readUses()): string | undefined {
  return ids.toSorted((a, b) => (uses[b] ?? 0) - (uses[a] ?? 0))[0];
}
