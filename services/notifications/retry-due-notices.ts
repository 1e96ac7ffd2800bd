import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Functions } from "../../aws/lambda/functions.ts";
import { keys } from "../../core/objects/keys.ts";
import { PARTS_PER_CALL } from "./deliver-notice.ts";

export interface RetryDueDeps {
  objects: Pick<ObjectTable, "list">;
  functions: Pick<Functions, "startDelivery">;
  /** Runs the work for one item of a task and records its failure (services/maintenance/item-isolation.ts). */
  isolation: {
    attempt(task: string, item: string, work: () => Promise<unknown>): Promise<{ ok: boolean }>;
    isWaiting(task: string, item: string): Promise<boolean>;
  };
  nowMs: () => number;
}

/** The number of parts that are read at once. */
const PAGE = 1000;
/** A part moves in the queue with each attempt to send it. One that is due for this long, although each tick hands it over, has failed each time. */
const STUCK_MS = 10 * 60_000;

const TASK = "retryDueNotices";
const dueMs = (sk: string) => Number(sk.split("#")[0]);

/** A part was handed over to `deliver` again and again, and is still due. */
class PartStuck extends Error {
  override readonly name = "PartStuck";
}

/**
 * Invokes the function `deliver` for all parts of notices that are due, until `untilMs` (epoch ms), and returns their number: parts that failed
 * before, and parts whose sender died. Only that function has the right to send. Parts that fail again and again are set aside.
 */
export async function retryDueNotices(deps: RetryDueDeps, untilMs: number): Promise<number> {
  const { objects, isolation, nowMs } = deps;
  const until = keys.retry(nowMs(), "￿", "", "");
  let count = 0;
  for (let from = "0"; ; ) {
    const page = (await objects.list(until.pk, { between: [from, until.sk], limit: PAGE })).map(({ sk }) => sk);
    const due: string[] = [];
    for (const sk of page) if (!(await isolation.isWaiting(TASK, sk))) due.push(sk);
    const isStuck = (sk: string) => dueMs(sk) + STUCK_MS <= nowMs();
    const groups = [
      ...chunk(
        due.filter((sk) => !isStuck(sk)),
        PARTS_PER_CALL,
      ),
      ...due.filter(isStuck).map((sk) => [sk]),
    ];
    for (const parts of groups) {
      count += await startDelivery(deps, parts, isStuck);
      if (Date.now() >= untilMs) return count;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return count;
    from = `${last} `;
  }
}

/** Hands parts over to `deliver`, each in a call of its own if the call for all of them fails. Returns the number of parts. */
async function startDelivery(
  { functions, isolation, nowMs }: RetryDueDeps,
  parts: string[],
  isStuck: (sk: string) => boolean,
): Promise<number> {
  const start = (due: string[]) => functions.startDelivery({ due, nowMs: nowMs() });
  if (parts.length > 1) {
    try {
      await start(parts);
      return parts.length;
    } catch {
      // One of the parts may be the reason: each is tried alone, which records its failure.
    }
  }
  let count = 0;
  for (const sk of parts) {
    const { ok } = await isolation.attempt(TASK, sk, async () => {
      await start([sk]);
      if (isStuck(sk))
        throw new PartStuck(`The part is due since ${new Date(dueMs(sk)).toISOString()}. The log of deliver contains the reason.`);
    });
    if (ok || isStuck(sk)) count += 1;
  }
  return count;
}

const chunk = <T>(all: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));
