interface Item {
  kind: string;
  path: string;
}

/** Returns the loaded items, and those of a search that are not among them. */
export function joinItems<T extends Item>(loaded: readonly T[], found: readonly T[]): T[] {
  const nameOf = ({ kind, path }: Item) => `${kind} ${path}`;
  const names = found.length === 0 ? undefined : new Set(loaded.map(nameOf));
  return names ? [...loaded, ...found.filter((item) => !names.has(nameOf(item)))] : [...loaded];
}
