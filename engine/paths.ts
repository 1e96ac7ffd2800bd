import path from "node:path";

/** The checkout. */
export const root = path.dirname(import.meta.dirname);
/** Everything that is installed or stored locally; ignored by git. */
export const svcDir = path.join(root, ".svc");
/** State of the instance that `npm run up` runs. */
export const upStateDir = path.join(svcDir, "local");
/** What `npm run up` leaves for people and tools: address and credentials. */
export const localJson = path.join(svcDir, "local.json");

/** A package's own command in `node_modules`. */
export function localBin(name: string): string {
  return path.join(root, "node_modules", ".bin", name);
}
