import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { ShareJson } from "../../contract/routes/jobs/shares.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { hasEnded } from "../../core/jobs/record/job.ts";
import { unchangedSince } from "../../core/objects/write.ts";
import { createShareToken, listValidShares, type Share, sharesObject } from "../../core/shares/share.ts";
import { findJob, type JobAddress, type JobCaller } from "../jobs/read/read.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

/**
 * Creates a link that shows a run, and returns it. Only its hash is stored, so a repeated call creates another link. Throws `job.notFound`, `auth.forbidden`, `job.erased`,
 * `share.tooMany` and `write.collided`.
 */
export async function shareJob(
  deps: Uses<"jobs" | "objects" | "nowMs" | "baseUrl">,
  caller: JobCaller,
  address: JobAddress,
  { expiresInS, withArgs }: { expiresInS: number; withArgs: boolean },
): Promise<{ id: string; url: string; expires_at: string }> {
  const job = await findJob(deps, caller, address);
  if (hasEnded(job) && job.erased) throw new SvcError("job.erased", { id: job.id });
  const { token, hash } = createShareToken(job.id);
  const { username: by, email, superAdmin } = caller.actor;
  const createdAtMs = deps.nowMs();
  const share: Share = {
    ...{ id: randomUUID(), hash, by, email, superAdmin, withArgs, createdAtMs },
    expiresAtMs: createdAtMs + expiresInS * 1000,
  };
  await changeShares(deps, address, (shares) => {
    if (shares.length >= limits.shares) throw new SvcError("share.tooMany", { limit: limits.shares });
    return [...shares, share];
  });
  return { id: share.id, url: `${deps.baseUrl}/share/${token}`, expires_at: toIsoTime(share.expiresAtMs) };
}

/** Lists the valid links of a run, the newest first. Throws `job.notFound`. */
export async function listShares(deps: Uses<"jobs" | "objects" | "nowMs">, caller: JobCaller, address: JobAddress): Promise<ShareJson[]> {
  await findJob(deps, caller, address);
  const { shares } = await loadShares(deps, address);
  return shares.reverse().map(({ id, by, createdAtMs, expiresAtMs, withArgs }) => ({
    ...{ id, created_by: by, created_at: toIsoTime(createdAtMs), expires_at: toIsoTime(expiresAtMs), with_args: withArgs },
  }));
}

/** Revokes a link. Throws `job.notFound`, `auth.forbidden`, `share.notFound` and `write.collided`. */
export async function revokeShare(
  deps: Uses<"jobs" | "objects" | "nowMs">,
  caller: JobCaller,
  address: JobAddress,
  id: string,
): Promise<void> {
  await findJob(deps, caller, address);
  await changeShares(deps, address, (shares) => {
    const others = shares.filter((one) => one.id !== id);
    if (others.length === shares.length) throw new SvcError("share.notFound", {});
    return others;
  });
}

/** Loads the valid links of a run, with the stored item. */
export async function loadShares({ objects, nowMs }: Uses<"objects" | "nowMs">, { workspace, id }: JobAddress) {
  const stored = await objects.get(sharesObject.key(workspace, id));
  return { stored, shares: stored ? listValidShares(sharesObject.parse(stored), nowMs()) : [] };
}

/** Replaces the links of a run. Of two changes at the same time, the later one repeats its decision. */
async function changeShares(deps: Uses<"objects" | "nowMs">, address: JobAddress, change: (shares: Share[]) => Share[]): Promise<void> {
  const { objects } = deps;
  const key = sharesObject.key(address.workspace, address.id);
  await retryOnConflict(
    async () => {
      const { stored, shares } = await loadShares(deps, address);
      const value = change(shares);
      const expiresAtS = Math.ceil(Math.max(deps.nowMs(), ...value.map(({ expiresAtMs }) => expiresAtMs)) / 1000);
      const isWritten = await objects.put(
        { ...key, value, version: randomUUID(), expiresAtS },
        stored ? unchangedSince(stored) : { absentOrExpiredAtS: Math.floor(deps.nowMs() / 1000) },
      );
      return isWritten ? { done: undefined } : undefined;
    },
    () => new SvcError("write.collided", {}),
  );
}
