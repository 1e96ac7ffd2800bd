import type { Specifier } from "./package-specifiers.ts";
import type { PythonImport } from "./python-imports.ts";

/**
 * The client libraries (`clients/`) are available to every script without a registry and without an entry in its lock. Each has our name
 * and the name that scripts for this family of APIs use. A script that imports a certain version gets the package from the registry.
 */
const npmNames = new Set(["svc-client", "windmill-client"]);
const pythonNames = new Set(["svc", "wmill"]);
/** The module's path as Go scripts import it. */
export const goClient = "svc-client";

/** Returns whether an import refers to our client library. */
export function isOwnClient(specifier: Specifier): boolean {
  return specifier.kind === "package" && npmNames.has(specifier.name) && specifier.version === undefined && specifier.subpath === "";
}

/** Returns the name of the client library that a Python import refers to, or `undefined` for other imports. */
export function findPythonClient({ level, module }: PythonImport): string | undefined {
  const [top = ""] = module.split(".");
  return level === 0 && pythonNames.has(top) ? top : undefined;
}
