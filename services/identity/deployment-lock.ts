import { randomUUID } from "node:crypto";
import { deploymentPushObject } from "../../core/workspaces/deployment-push.ts";
import type { ObjectStore } from "../../ports/object-store.ts";

/** The lock of a function that died expires after this time. */
const LEASE_S = 60;
const RENEW_MS = 20_000;

/**
 * Calls `work` while no other deployment changes the files of a workspace. Waits for another deployment until `untilMs`, and then throws an
 * error. `lost`: the lock could not be renewed, so the work must end.
 */
export async function lockDeployments<T>(
  objects: Pick<ObjectStore, "put" | "deleteItem">,
  workspace: string,
  untilMs: number,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> {
  const key = deploymentPushObject.key(workspace);
  const version = randomUUID();
  const nowS = () => Math.floor(Date.now() / 1000);
  const lease = () => ({ ...key, version, expiresAtS: nowS() + LEASE_S });
  while (!(await objects.put(lease(), { absentOrExpiredAtS: nowS() }))) {
    if (Date.now() > untilMs) throw new Error(`Another deployment of files into the workspace ${workspace} has not ended.`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  const lost = new AbortController();
  const renew = async () => {
    // A failed write may mean that another push now has the lock, so the work ends.
    const isHeld = await objects.put(lease(), { version }).catch(() => false);
    if (!isHeld) lost.abort();
  };
  const timer = setInterval(renew, RENEW_MS);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
    await objects.deleteItem(key, { version });
  }
}
