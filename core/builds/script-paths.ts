/** Script paths in code may have an extension; stored paths have none. */

const SCRIPT_PATH = /^[fu](\/[\w.-]+){2,}$/;
const TYPESCRIPT_EXTENSION = /(\.(bun|deno|node|fetch|native))?\.(ts|tsx|mts|js|jsx|mjs)$/;

/**
 * Returns the path of the script to which `specifier` refers in the TypeScript script at `from`, or `undefined` for a package, a builtin or a
 * URL.
 */
export function resolveScriptPath(from: string, specifier: string): string | undefined {
  if (specifier.startsWith("./") || specifier.startsWith("../")) {
    return resolveFrom(from, specifier)?.replace(TYPESCRIPT_EXTENSION, "");
  }
  const path = specifier.replace(/^\//, "").replace(TYPESCRIPT_EXTENSION, "");
  if (specifier.startsWith("/")) return path;
  return SCRIPT_PATH.test(path) ? path : undefined;
}

/** Resolves a relative path: `../x/other` in `f/ops/hello` is `f/x/other`. Returns `undefined` above the root. */
function resolveFrom(from: string, relative: string): string | undefined {
  const parts = from.split("/").slice(0, -1);
  for (const part of relative.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/** Returns whether a key of a build's files is safe as a file name: the file stays inside the build's directory. */
export function isSafeScriptPath(path: string): boolean {
  return /^[\w.@-]+(\/[\w.@-]+)*$/.test(path) && !path.split("/").some((part) => /^\.+$/.test(part)) && path.length <= 500;
}
