/** The times at which this browser last opened workspaces, by their ids. */
type Uses = Record<string, number>;

const KEY = "svc.workspaces";

function readUses(): Uses {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof stored === "object" && stored !== null ? (stored as Uses) : {};
  } catch {
    // Another program wrote it, or the browser stores nothing.
    return {};
  }
}

export const lastUseOf = (workspace: string): number | undefined => readUses()[workspace];

/** Notes that a workspace was opened, for the switcher and the next sign-in. */
export function noteUse(workspace: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...readUses(), [workspace]: Date.now() }));
  } catch {
    // A browser that stores nothing opens the first workspace.
  }
}

/** Returns the workspace to open: the one that was used last, otherwise the first. */
export function chooseWorkspace(ids: readonly string[], uses: Uses = readUses()): string | undefined {
  return ids.toSorted((a, b) => (uses[b] ?? 0) - (uses[a] ?? 0))[0];
}
