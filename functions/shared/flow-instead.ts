import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { RunnableFlow } from "../../core/flows/version.ts";
import { keys } from "../../core/objects/keys.ts";
import { may } from "../../core/permissions/may.ts";
import { flowOf } from "../../services/flows/definitions/load.ts";
import type { RunAuth } from "./run-call.ts";

/**
 * The flow that a script's address means where there is no such script (`p/<path>`, `h/<hash>`): the specification gives both forms to both. Nothing
 * is read where there is a script. A flow that the caller may not run is not there.
 */
export async function flowInstead(
  objects: Pick<ObjectTable, "get">,
  { actor, head }: RunAuth,
  { workspace, path, hash }: { workspace: string; path?: string; hash?: string },
): Promise<RunnableFlow | undefined> {
  if (head && !(head.value as { archived?: boolean }).archived) return undefined;
  const flow =
    path !== undefined ? flowOf(await objects.get(keys.flowHead(workspace, path))) : await flowByHash(objects, workspace, hash ?? "");
  if (!flow || (path !== undefined && flow.archived)) return undefined;
  const action = path === undefined ? "jobs.run.fv" : "jobs.run.flows";
  return may(actor, action, { workspace, path: flow.path }) ? flow : undefined;
}

async function flowByHash(objects: Pick<ObjectTable, "get">, workspace: string, hash: string): Promise<RunnableFlow | undefined> {
  const found = await objects.get(keys.flowHash(workspace, hash));
  return found && flowOf(await objects.get(keys.flowVersion(workspace, (found.value as { version: number }).version)));
}
