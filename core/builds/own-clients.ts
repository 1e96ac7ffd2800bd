import type { Specifier } from "./package-specifiers.ts";
import type { PythonImport } from "./python-imports.ts";

/**
 * The client libraries (`clients/`) are available to every script without a registry and without an entry in its lock, each under its own
 * name. Other clients of this family of APIs are packages like any other. A script that imports a certain version gets the package from the
 * registry.
 */
const npmName = "svc-client";
const pythonName = "svc";
/** The module's path as Go scripts import it. */
export const goClient = "svc-client";

/** Returns whether an import refers to our client library. */
export function isOwnClient(specifier: Specifier): boolean {
  return specifier.kind === "package" && specifier.name === npmName && specifier.version === undefined && specifier.subpath === "";
}

/** Returns the name of the client library that a Python import refers to, or `undefined` for other imports. */
export function findPythonClient({ level, module }: PythonImport): string | undefined {
  const [top = ""] = module.split(".");
  return level === 0 && top === pythonName ? top : undefined;
}
