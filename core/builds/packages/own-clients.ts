import { CLIENT_MODULE, CLIENT_PACKAGE } from "../../../contract/deployment/client-packages.ts";
import type { PythonImport } from "../python-imports.ts";
import type { Specifier } from "./package-specifiers.ts";

/**
 * The client libraries (`clients/`) are available to every script without a registry and without an entry in its lock, each under a short name
 * and under the name of its package, so that a file runs inside and outside of jobs. Other clients of this API family are ordinary packages. A
 * script that imports a specific version of `svc-client` gets the package from the registry.
 */
const npmName = "svc-client";
const pythonName = "svc";
/** The paths of the module in imports of Go scripts. */
export const goClients: readonly string[] = ["svc-client", CLIENT_MODULE];

/**
 * Returns whether an import refers to the client library of this service. The name of its package is never requested from a registry, where
 * others could register it.
 */
export function isOwnClient(specifier: Specifier): boolean {
  if (specifier.kind !== "package" || specifier.subpath !== "") return false;
  return specifier.name === CLIENT_PACKAGE || (specifier.name === npmName && specifier.version === undefined);
}

/** Returns the name of the client library to which a Python import refers, or `undefined` for other imports. */
export function findPythonClient({ level, module }: PythonImport): string | undefined {
  const [top = ""] = module.split(".");
  return level === 0 && top === pythonName ? top : undefined;
}
