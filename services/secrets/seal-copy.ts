import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { PromiseCache } from "../../contract/utilities/promise-cache.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import type { StoredResource } from "../../core/resources/resource.ts";
import { type DataKey, sealSecret } from "../../core/secrets/seal.ts";
import type { SealedCopy } from "../../core/secrets/sealed-copy.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { commitParts } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { type CopyPurpose, locateCopy } from "./copy-purposes.ts";

export type CopyPorts = Uses<"objects" | "dataKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">;

/** A resource that is copied. */
export interface CopiedResource {
  resource: StoredResource;
  purpose: CopyPurpose;
}

/** The user who changes a resource or a variable. Absent if the service itself does. */
export type CopyCaller = Pick<WorkspaceCaller, "workspace"> & { actor?: Actor | undefined };

const KEY_VERSION = 1;

/** Returns whether a user administers the workspace. */
export const isAdminOf = ({ actor, workspace }: CopyCaller): boolean =>
  actor?.superAdmin === true || (actor?.rights?.workspace === workspace && actor.rights.role === "admin");

/**
 * Builds the copy of a resource. A sentence instead of its value is the fault for which it cannot be used. `areAdmins`: only administrators saved the resource and
 * its variables. Throws `workspace.notFound`.
 */
export async function sealCopy(
  deps: CopyPorts,
  workspace: string,
  { resource: { resourceType: type, path }, purpose }: CopiedResource,
  value: object | string,
  { areAdmins }: { areAdmins: boolean },
): Promise<SealedCopy> {
  if (typeof value === "string") return { type, fault: value };
  const credential = purpose.parse(type, value, { areAdmins });
  if (typeof credential === "string") return { type, fault: credential };
  const { key, wrapped } = await loadKey(deps, workspace, purpose);
  const sealed = sealSecret(key, locateCopy(purpose, workspace, path), JSON.stringify(credential));
  return { type, wrapped, sealed, ...(areAdmins ? { trusted: true } : {}) };
}

const keyCache = new PromiseCache<string, { key: DataKey; wrapped: string }>();

/** The keys of each purpose. Only functions that save resources and variables have both. */
const keysOf = ({ httpRouteKeys, chatKeys }: CopyPorts, { name }: CopyPurpose) => (name === "route" ? httpRouteKeys : chatKeys);

function loadKey(deps: CopyPorts, workspace: string, purpose: CopyPurpose): Promise<{ key: DataKey; wrapped: string }> {
  return keyCache.get(
    `${purpose.name} ${workspace}`,
    async () => {
      const wrapped = (await findKey(deps, workspace, purpose)) ?? (await createKey(deps, workspace, purpose));
      return { key: { version: KEY_VERSION, key: await keysOf(deps, purpose).unwrap(workspace, wrapped) }, wrapped };
    },
    { nowMs: deps.nowMs(), forMs: limits.dataKeyCacheMs },
  );
}

async function findKey({ objects }: Uses<"objects">, workspace: string, { keys }: CopyPurpose): Promise<string | undefined> {
  const stored = await objects.get(keys.key(workspace));
  return stored && keys.parse(stored).wrapped;
}

/** If two writers create the key at the same time, both get the one that was stored. Throws `workspace.notFound`. */
async function createKey(deps: CopyPorts, workspace: string, purpose: CopyPurpose): Promise<string> {
  const { wrapped } = await keysOf(deps, purpose).generate(workspace);
  await commitParts(deps.objects, [
    { write: write.check(workspaceObject.key(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    { write: write.put({ ...purpose.keys.key(workspace), value: { wrapped } }, "absent"), refused: undefined },
  ]);
  return (await findKey(deps, workspace, purpose)) ?? wrapped;
}
