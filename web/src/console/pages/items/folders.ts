/** A folder with the number of items in it and below. */
export interface Folder {
  path: string;
  name: string;
  depth: number;
  count: number;
}

/** Returns the folders above an item: `f/ops` and `f/ops/night` for `f/ops/night/clean`. */
export function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(2).map((_, index) => parts.slice(0, index + 2).join("/"));
}

/**
 * Returns the folders of items with their counts, in the order of a tree. Folders inside others are listed only above
 * and in the open one, so that the list of a large workspace stays short.
 */
export function listFolders(paths: readonly string[], openPath: string): Folder[] {
  const counts = new Map<string, number>();
  for (const path of paths) for (const folder of foldersOf(path)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const parentOf = (folder: string) => folder.slice(0, folder.lastIndexOf("/"));
  const isOpen = (folder: string) => openPath === folder || openPath.startsWith(`${folder}/`);
  const depthOf = (folder: string) => folder.split("/").length - 2;
  return [...counts]
    .filter(([folder]) => depthOf(folder) === 0 || isOpen(parentOf(folder)))
    .map(([path, count]) => {
      const depth = depthOf(path);
      return { path, name: depth === 0 ? path : path.slice(path.lastIndexOf("/") + 1), depth, count };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
