/** A saved version of an object. */
export interface SavedVersion {
  id: string;
  savedAt: string;
  savedBy: string;
  message: string;
}

/** The newest version of an object, and its newest version at an earlier time. A new object has no earlier one. */
export interface Change {
  newest: SavedVersion | undefined;
  before: SavedVersion | undefined;
  /** Everyone who has saved a version since, the last one first. */
  authors: string[];
}

/** Compares the versions of an object, the newest first, with a time. */
export function describeChange(versions: readonly SavedVersion[], sinceMs: number): Change {
  const isAfter = ({ savedAt }: SavedVersion) => Date.parse(savedAt) > sinceMs;
  const authors = new Set(versions.filter(isAfter).map(({ savedBy }) => savedBy));
  return {
    newest: versions[0],
    before: versions.find((version) => !isAfter(version)),
    authors: [...authors].filter((name) => name !== ""),
  };
}

/** Returns the objects that were saved after a time, the last one first. */
export const changedSince = <T extends { editedAt: string }>(items: readonly T[], sinceMs: number): T[] =>
  items.filter(({ editedAt }) => Date.parse(editedAt) > sinceMs).sort((a, b) => Date.parse(b.editedAt) - Date.parse(a.editedAt));

/** The commands that bring the changes into git. */
export const gitCommands = [
  "git switch --create from-console",
  "svc sync pull --dry-run",
  "svc sync pull --yes",
  "git add --all",
  'git commit --message "Pull changes"',
].join("\n");
