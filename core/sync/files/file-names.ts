/** Returns whether a name, possibly with folders, stays inside of its folder on every system. */
export const isSafeName = (name: string): boolean =>
  name !== "" && name.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/[\\\p{Cc}:*?"<>|]/u.test(part));

/** Returns whether files of these names can lie in one folder and are read there: none is hidden, or the folder of another one. */
export const areFileNames = (names: readonly string[]): boolean =>
  names.every(
    (name) =>
      isSafeName(name) &&
      name.split("/").every((part) => !part.startsWith(".") && part !== "node_modules") &&
      !names.some((other) => other.startsWith(`${name}/`)),
  );
