import path from "node:path";

/** The checkout. */
export const root = path.dirname(import.meta.dirname);
/** Everything that is installed or stored locally; ignored by git. */
export const svcDir = path.join(root, ".svc");
/** Where `npm run up` and `npm run reset` keep what belongs to one instance: with another folder a second one runs in the same checkout. */
export const stateDir = path.resolve(root, process.env["SVC_STATE_DIR"] || svcDir);
/** State of the instance that `npm run up` runs. */
export const upStateDir = path.join(stateDir, "local");
/** The same for `npm run up -- --engine localstack`: what was deployed. LocalStack itself keeps nothing. */
export const localstackDir = path.join(stateDir, "localstack");
/** The file that `npm run up` writes for people and tools: URL and credentials. */
export const localJson = path.join(stateDir, "local.json");

/** A package's own command in `node_modules`. */
export function localBin(name: string): string {
  return path.join(root, "node_modules", ".bin", name);
}
