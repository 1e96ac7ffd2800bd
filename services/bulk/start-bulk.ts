import { randomBytes, randomUUID } from "node:crypto";
import pMap from "p-map";
import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { BulkJson, BulkRequest } from "../../contract/routes/jobs/bulk.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { type Bulk, bulkObject, bulkPartObject, describeBulkState, endEarly, PART_JOBS } from "../../core/bulk/bulk.ts";
import { unchangedSince } from "../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { permit } from "../identity/permit.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

/** The number of items that are written concurrently. */
const AT_ONCE = 20;

/**
 * Starts an action on many jobs, and returns its id. The message is sent last: if this process dies before, nothing is done, and the items expire. Throws
 * `auth.forbidden`, `bulk.tooMany` and `body.tooLarge`.
 */
export async function startBulk(
  deps: Uses<"objects" | "queue" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  { action, ids, filter, version, args }: BulkRequest,
): Promise<string> {
  if (action === "rerun") permit(actor, actions.rerunJobs, { workspace });
  const argsJson = args && JSON.stringify(args);
  if (argsJson !== undefined && Buffer.byteLength(argsJson) > limits.bulkArgsBytes)
    throw new SvcError("body.tooLarge", { limitBytes: limits.bulkArgsBytes, what: "args" });
  const { pk, sk } = bulkObject.key(workspace, personKey(actor.email), "");
  const others = bulkObject.parseReadable(await deps.objects.list(pk, { beginsWith: sk }));
  if (others.filter(({ ended }) => !ended).length >= limits.bulks) throw new SvcError("bulk.tooMany", { limit: limits.bulks });
  const id = randomUUID();
  const createdAtMs = deps.nowMs();
  const unique = [...new Set(ids)];
  const slices = Array.from({ length: Math.ceil(unique.length / PART_JOBS) }, (_, at) =>
    unique.slice(at * PART_JOBS, (at + 1) * PART_JOBS),
  );
  const parts = await pMap(slices, (slice) => storePart(deps, { workspace, id, createdAtMs }, slice), { concurrency: AT_ONCE });
  const bulk: Bulk = {
    ...{ id, action, latest: version === "latest", caller: describeCaller(actor), parts, total: unique.length, createdAtMs },
    ...{ hasMore: false, completed: 0, done: 0, failed: 0, errors: [], stops: false },
    ...defined({ argsJson }),
    ...(filter ? { search: { filterJson: JSON.stringify(filter) } } : {}),
  };
  const key = bulkObject.key(workspace, personKey(actor.email), id);
  await deps.objects.put({ ...key, value: bulk, version: randomUUID(), expiresAtS: expiryOf(bulk) }, "absent");
  try {
    await deps.queue.sendFollowUp({ id, workspace, bulk: personKey(actor.email) });
  } catch (error) {
    // Without a message the action would count as unfinished until it expires.
    await deps.objects.put({ ...key, value: endEarly(bulk), version: randomUUID(), expiresAtS: expiryOf(bulk) });
    throw error;
  }
  return id;
}

/** The rights of the caller are read again for each part. The limits of the token are those of the request. */
function describeCaller(actor: Actor): Bulk["caller"] {
  const { email, superAdmin } = actor;
  if (actor.kind === "job") return { email, superAdmin };
  const { workspace: tokenWorkspace, scopes, tokenExpiresAtMs: expiresAtMs } = actor;
  return { email, superAdmin, ...defined({ tokenWorkspace, scopes, expiresAtMs }) };
}

const expiryOf = ({ createdAtMs }: Pick<Bulk, "createdAtMs">): number => Math.ceil((createdAtMs + limits.bulkMs) / 1000);

/** Stores the ids of one part under an unused name, and returns the name. */
export async function storePart(
  { objects }: Uses<"objects">,
  { workspace, id, createdAtMs }: { workspace: string } & Pick<Bulk, "id" | "createdAtMs">,
  ids: readonly string[],
): Promise<string> {
  const part = randomBytes(6).toString("hex");
  await objects.put({ ...bulkPartObject.key(workspace, id, part), value: ids, expiresAtS: expiryOf({ createdAtMs }) });
  return part;
}

async function findBulk({ objects }: Uses<"objects">, { actor, workspace }: WorkspaceCaller, id: string) {
  const stored = await objects.get(bulkObject.key(workspace, personKey(actor.email), id));
  if (!stored) throw new SvcError("bulk.notFound", { id });
  return { stored, bulk: bulkObject.parse(stored) };
}

/** Returns the progress of an action of the caller. Throws `bulk.notFound`, also for an action of another user. */
export async function getBulk(deps: Uses<"objects">, caller: WorkspaceCaller, id: string): Promise<BulkJson> {
  return toJson((await findBulk(deps, caller, id)).bulk);
}

/** Requests the end of an action of the caller, and returns its progress. Throws `bulk.notFound` and `write.collided`. */
export async function stopBulk(deps: Uses<"objects">, caller: WorkspaceCaller, id: string): Promise<BulkJson> {
  return retryOnConflict(
    async () => {
      const { stored, bulk } = await findBulk(deps, caller, id);
      if (bulk.ended || bulk.stops) return { done: toJson(bulk) };
      const value: Bulk = { ...bulk, stops: true };
      const isWritten = await deps.objects.put({ ...stored, value, version: randomUUID() }, unchangedSince(stored));
      return isWritten ? { done: toJson(value) } : undefined;
    },
    () => new SvcError("write.collided", {}),
  );
}

function toJson(bulk: Bulk): BulkJson {
  const { id, action, done, failed, total, hasMore, errors, createdAtMs } = bulk;
  const shown = errors.map((one) => ({ error: one.error, ...defined({ id: one.id }) }));
  return {
    ...{ bulk_id: id, action, state: describeBulkState(bulk), done, failed, total, has_more: hasMore, errors: shown },
    created_at: toIsoTime(createdAtMs),
  };
}
