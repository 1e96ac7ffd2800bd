import { actions } from "../../../contract/access/actions.ts";
import type { RunnableFlow } from "../../../core/flows/version.ts";
import { flowHashObject, flowHeadObject, flowVersionObject } from "../../../core/flows/version.ts";
import type { StoredObject } from "../../../core/objects/write.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { may } from "../../../core/permissions/may.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import type { RunTarget } from "../../execution/requests/run-request.ts";
import { requireNewestScript, requireScriptVersion } from "../../scripts/load.ts";
import type { Uses } from "../../uses.ts";
import { parseFlow, requireFlowVersion, requireNewestFlow } from "./load.ts";

/** The address of a run: a script or flow by path (its newest version), a script or flow version by hash, or a flow by version number. */
export interface RunAddress {
  kind: "script" | "flow";
  workspace: string;
  path?: string | undefined;
  hash?: string | undefined;
  version?: number | undefined;
}

/** A caller with the stored head that was read together with the token. */
interface RunCaller {
  actor: Actor;
  head: StoredObject | undefined;
}

/**
 * Returns the version that the address of a run names. If no script exists at a script's address, a flow may: the specification gives the forms
 * `p/<path>` and `h/<hash>` to both. Reads nothing if the caller's `head` already is the version. Throws `script.notFound`,
 * `script.versionNotFound`, `flow.notFound`, `flow.versionNotFound`.
 */
export async function findRunTarget(deps: Uses<"objects">, caller: RunCaller, address: RunAddress): Promise<RunTarget> {
  const { kind, path, hash, version } = address;
  if (kind === "flow") {
    return { kind, version: path === undefined ? requireFlowVersion(caller.head, version ?? 0) : requireNewestFlow(caller.head, path) };
  }
  const flow = await findFlowInstead(deps, caller, address);
  if (flow) return { kind: "flow", version: flow };
  return { kind, version: path === undefined ? requireScriptVersion(caller.head, hash ?? "") : requireNewestScript(caller.head, path) };
}

/** Returns a flow at a script's address. A flow that the caller may not run is treated as absent. */
async function findFlowInstead(
  { objects }: Uses<"objects">,
  { actor, head }: RunCaller,
  { workspace, path, hash = "" }: RunAddress,
): Promise<RunnableFlow | undefined> {
  if (head && !(head.value as { archived?: boolean }).archived) return undefined;
  const flow =
    path === undefined ? await findFlowByHash(objects, workspace, hash) : parseFlow(await objects.get(flowHeadObject.key(workspace, path)));
  if (!flow || (path !== undefined && flow.archived)) return undefined;
  return may(actor, actions.runFlow.access, { workspace, path: flow.path }) ? flow : undefined;
}

async function findFlowByHash(objects: Pick<ObjectStore, "get">, workspace: string, hash: string): Promise<RunnableFlow | undefined> {
  const found = await objects.get(flowHashObject.key(workspace, hash));
  return found && parseFlow(await objects.get(flowVersionObject.key(workspace, flowHashObject.parse(found).version)));
}
