import { dueAttemptObject } from "../../core/deliveries/due-attempt.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { QueuedDelivery } from "../../ports/queues.ts";
import type { Uses } from "../uses.ts";

/** The number of attempts that are read at once. */
const PAGE = 1000;
/** Attempts are queued this long before they are due, with a delay, so that they do not wait for a tick. */
const AHEAD_MS = 120_000;
const TASK = "sendDueAttempts";

/**
 * Queues the attempts of deliveries that are due soon, until `untilMs` (epoch ms), and returns their number. An attempt leaves the list after its
 * message is sent. If the tick dies in between, the message is sent twice, which the claim of the attempt recognizes.
 */
export async function sendDueAttempts(deps: Uses<"isolation" | "objects" | "deliveryQueue" | "nowMs">, untilMs: number): Promise<number> {
  const { objects, nowMs } = deps;
  const until = dueAttemptObject.key(nowMs() + AHEAD_MS, "￿", "", "");
  let count = 0;
  for (let from = "0"; ; ) {
    const page = await objects.list(until.pk, { between: [from, until.sk], limit: PAGE });
    count += await queuePage(deps, page);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE || Date.now() >= untilMs) return count;
    from = `${last.sk} `;
  }
}

async function queuePage(deps: Uses<"isolation" | "objects" | "deliveryQueue" | "nowMs">, page: readonly StoredObject[]): Promise<number> {
  const { deliveryQueue, isolation } = deps;
  const due: { item: StoredObject; queued?: QueuedDelivery; error?: unknown }[] = [];
  for (const item of page) if (!(await isolation.isWaiting(TASK, item.sk))) due.push({ item, ...readAttempt(deps, item) });
  const refusals = await deliveryQueue.sendDeliveries(due.flatMap(({ queued }) => queued ?? []));
  const refused = new Map(refusals.map(({ queued, error }) => [queued, error]));
  let count = 0;
  await Promise.all(
    due.map(async ({ item, queued, error = queued && refused.get(queued) }) => {
      const attempt = await isolation.attempt(TASK, item.sk, async () => {
        if (error) throw error;
        await deps.objects.deleteItem({ pk: item.pk, sk: item.sk });
      });
      if (attempt.ok) count += 1;
    }),
  );
  return count;
}

/** Parses a stored attempt. An unreadable one fails only its own item, like one that the queue refuses. */
function readAttempt({ nowMs }: Uses<"nowMs">, item: StoredObject): { queued: QueuedDelivery } | { error: unknown } {
  try {
    const delayS = Math.max(0, Math.ceil((Number(item.sk.split("#")[0]) - nowMs()) / 1000));
    return { queued: { ...dueAttemptObject.parse(item), delayS } };
  } catch (error) {
    return { error };
  }
}
