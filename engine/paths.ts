import path from "node:path";

/** The checkout. */
export const root = path.dirname(import.meta.dirname);
/** Everything that is installed or stored locally; ignored by git. */
export const svcDir = path.join(root, ".svc");
/** The folder of one instance. With another folder, a second instance runs in the same checkout. */
export const stateDir = path.resolve(root, process.env["SVC_STATE_DIR"] || svcDir);
/** State of the instance that `npm run up` runs. */
export const upStateDir = path.join(stateDir, "local");
/** The record of the deployment for `npm run up -- --engine localstack`. LocalStack itself stores nothing. */
export const localstackDir = path.join(stateDir, "localstack");
/** The record of the examples that `npm run up` has saved. */
export const seededJson = path.join(upStateDir, "seeded.json");
/** The file that `npm run up` writes for people and tools: URL and credentials. */
export const localJson = path.join(stateDir, "local.json");

/** A package's own command in `node_modules`. */
export function localBin(name: string): string {
  return path.join(root, "node_modules", ".bin", name);
}
