/** Paths of scripts as code spells them, and as the store does: without an extension. */

const SCRIPT_PATH = /^[fu](\/[\w.-]+){2,}$/;
const TYPESCRIPT_EXTENSION = /(\.(bun|deno|node|fetch|native))?\.(ts|tsx|mts|js|jsx|mjs)$/;

/** The script that `specifier` names in the TypeScript script at `from`; `undefined` when it names a package, a builtin or a URL. */
export function resolveScriptPath(from: string, specifier: string): string | undefined {
  if (specifier.startsWith("./") || specifier.startsWith("../")) {
    return resolveFrom(from, specifier)?.replace(TYPESCRIPT_EXTENSION, "");
  }
  const path = specifier.replace(/^\//, "").replace(TYPESCRIPT_EXTENSION, "");
  if (specifier.startsWith("/")) return path;
  return SCRIPT_PATH.test(path) ? path : undefined;
}

/** `../x/other` seen from `f/ops/hello` is `f/x/other`; `undefined` when it climbs above the root. */
function resolveFrom(from: string, relative: string): string | undefined {
  const parts = from.split("/").slice(0, -1);
  for (const part of relative.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

/** Keys of a build's files become file names: this is what keeps them inside the build's directory. */
export function isSafeScriptPath(path: string): boolean {
  return /^[\w.@-]+(\/[\w.@-]+)*$/.test(path) && !path.split("/").some((part) => /^\.+$/.test(part)) && path.length <= 500;
}
