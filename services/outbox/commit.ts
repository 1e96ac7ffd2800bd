import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";

/** One part of a transaction, and what its caller is told when it finds something else than it expects. */
export interface Part {
  write: Parameters<ObjectTable["transact"]>[0][number];
  /** `undefined`: somebody was faster; the caller looks again and repeats. */
  refused: SvcError | undefined;
}

/** What must stand where something is saved at a path: the workspace and, for `f/` paths, the folder. */
export function buildPathConditions(workspace: string, path: string): Part[] {
  const folder = path.startsWith("f/") ? (path.split("/")[1] ?? "") : undefined;
  return [
    { write: write.check(keys.workspace(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    ...(folder === undefined
      ? []
      : [{ write: write.check(keys.folder(workspace, folder), "present"), refused: new SvcError("path.noFolder", { path, folder }) }]),
  ];
}

/** Carries the parts out as one. False when somebody else was faster; throws the error of any other part that is refused. */
export async function commitParts(objects: Pick<ObjectTable, "transact">, parts: Part[]): Promise<boolean> {
  const refused = await objects.transact(parts.map((part) => part.write));
  if (refused === undefined) return true;
  const error = parts[refused]?.refused;
  if (error) throw error;
  return false;
}

/** How often a change is made again on what somebody else has stored meanwhile. */
const TRIES = 8;

/** Repeats a change that reads, decides and writes until nobody comes in between; then throws `otherwise`. */
export async function retryOnConflict<T>(change: () => Promise<{ done: T } | undefined>, otherwise: () => SvcError): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const outcome = await change();
    if (outcome) return outcome.done;
  }
  throw otherwise();
}
