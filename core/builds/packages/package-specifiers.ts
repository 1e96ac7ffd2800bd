import { isBuiltin } from "node:module";
import { resolveScriptPath } from "../script-paths.ts";

/** The target of one import in a TypeScript script. */
export type Specifier =
  | { kind: "script"; path: string }
  | { kind: "builtin"; name: string }
  | { kind: "package"; name: string; version: string | undefined; subpath: string }
  | { kind: "unsupported"; reason: string };

const PACKAGE = /^(?<name>@[\w.~-]+\/[\w.~-]+|[\w.~-]+)(?:@(?<version>[^/]+))?(?<subpath>\/.*)?$/;
/**
 * A version, a range or a tag. Package managers also accept paths, git references, URLs and aliases, which would read content from outside
 * the registry.
 */
const VERSION = /^[\w.+*^~<>=| -]+$/;

/**
 * Parses an import in the notation of bun, deno and node: `lodash`, `lodash@4.17.21`, `@scope/name@^1/sub`, `npm:name@1`, `node:fs`,
 * `bun:sqlite`, `./other.ts`, `/f/ops/other`, `f/ops/other`. `from` is the path of the importing script.
 */
export function readSpecifier(from: string, specifier: string): Specifier {
  const path = resolveScriptPath(from, specifier);
  if (path !== undefined) return { kind: "script", path };
  if (specifier.startsWith(".")) return { kind: "unsupported", reason: `${specifier} points outside the workspace` };
  if (/^(https?|data|file|blob):/.test(specifier)) {
    return { kind: "unsupported", reason: `imports by URL are not supported; import the npm package instead of ${specifier}` };
  }
  if (specifier.startsWith("jsr:")) {
    return { kind: "unsupported", reason: `jsr: imports are not supported; import an npm package instead of ${specifier}` };
  }
  if (specifier === "bun" || specifier.startsWith("bun:") || specifier.startsWith("node:") || isBuiltin(specifier)) {
    return { kind: "builtin", name: specifier };
  }
  const bare = specifier.replace(/^npm:\/?/, "");
  const match = PACKAGE.exec(bare)?.groups;
  if (!match?.["name"] || match["name"].startsWith("."))
    return { kind: "unsupported", reason: `"${specifier}" is not a valid package name` };
  const { name, version, subpath } = match;
  if (version !== undefined && !VERSION.test(version)) {
    return { kind: "unsupported", reason: `"${version}" is not a valid version of ${name}: use a version, a range or a tag` };
  }
  return { kind: "package", name, version, subpath: subpath ?? "" };
}
