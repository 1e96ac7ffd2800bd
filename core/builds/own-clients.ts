import type { Specifier } from "./package-specifiers.ts";
import type { PythonImport } from "./python-imports.ts";

/**
 * The client libraries (`clients/`) are there for every script, without a registry and without a word in its lock. Each has our name and the one
 * that scripts written for this family of APIs know it by; whoever names a version of a package gets that package.
 */
const npmNames = new Set(["svc-client", "windmill-client"]);
const pythonNames = new Set(["svc", "wmill"]);
/** The module's path as Go scripts import it. */
export const goClient = "svc-client";

export function isOwnClient(specifier: Specifier): boolean {
  return specifier.kind === "package" && npmNames.has(specifier.name) && specifier.version === undefined && specifier.subpath === "";
}

/** The client's name, when a Python import is of a client. */
export function findPythonClient({ level, module }: PythonImport): string | undefined {
  const [top = ""] = module.split(".");
  return level === 0 && pythonNames.has(top) ? top : undefined;
}
