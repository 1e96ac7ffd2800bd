import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../contract/errors.ts";
import { write } from "../../core/objects/write.ts";
import { folderObject, workspaceObject } from "../../core/workspaces/workspace.ts";
import type { ObjectStore, TransactionWrite } from "../../ports/object-store.ts";

/** One part of a transaction, and the error for the caller if the part's condition does not hold. */
export interface TransactionPart {
  write: TransactionWrite;
  /** `undefined` means that another writer was first: the caller reads again and repeats the change. */
  refused: SvcError | undefined;
}

/** Returns a part of a transaction. */
export const toPart = (request: TransactionWrite, refused?: SvcError): TransactionPart => ({ write: request, refused });

/** Returns the conditions for saving at a path: the workspace and, for an object in a folder, the folder exist. */
export function buildPathConditions(workspace: string, path: string): TransactionPart[] {
  const [root, name, object] = path.split("/");
  const folder = root === "f" && object !== undefined ? name : undefined;
  return [
    { write: write.check(workspaceObject.key(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    ...(folder === undefined
      ? []
      : [{ write: write.check(folderObject.key(workspace, folder), "present"), refused: new SvcError("path.noFolder", { path, folder }) }]),
  ];
}

/** Commits the parts in one transaction. Returns false if another writer was first; throws the error of any other refused part. */
export async function commitParts(objects: Pick<ObjectStore, "transactWrite">, parts: TransactionPart[]): Promise<boolean> {
  const refused = await objects.transactWrite(parts.map((part) => part.write));
  if (refused === undefined) return true;
  const error = parts[refused]?.refused;
  if (error) throw error;
  return false;
}

/** The maximum number of attempts of a change while other writers interfere. */
const TRIES = 8;
/** Many writers share some items, such as the access rights of a workspace, so a change of them is tried more often, with pauses. */
export const SHARED_ITEM_TRIES = 12;
const PAUSE_MS = 40;

/** Waits after a conflict. A random pause spreads the attempts of several writers. */
export const pauseAfterConflict = (earlier: number): Promise<void> => sleep(Math.random() * PAUSE_MS * (earlier + 1));

/**
 * Repeats a change that reads, decides and writes until no other writer interferes. `change` receives the number of earlier attempts. Throws
 * `otherwise` after the last attempt.
 */
export async function retryOnConflict<T>(
  change: (earlier: number) => Promise<{ done: T } | undefined>,
  otherwise: () => SvcError,
  maxTries = TRIES,
): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = await change(tries);
    if (outcome) return outcome.done;
  }
  throw otherwise();
}
