import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Functions } from "../../aws/lambda/functions.ts";
import { keys } from "../../core/objects/keys.ts";
import { PARTS_PER_CALL } from "./deliver-notice.ts";

export interface RetryDueDeps {
  objects: Pick<ObjectTable, "list">;
  functions: Pick<Functions, "deliver">;
  nowMs: () => number;
}

/** The most parts of one tick; the next tick takes the rest. */
const MOST = 1000;

/**
 * Has function `deliver` send all parts of notices that are due, and returns how many: parts that failed before, and parts whose sender
 * died. Only that function may send anything.
 */
export async function retryDueNotices({ objects, functions, nowMs }: RetryDueDeps): Promise<number> {
  const until = keys.retry(nowMs(), "￿", "", "");
  const due = (await objects.list(until.pk, { between: ["0", until.sk], limit: MOST })).map(({ sk }) => sk);
  for (let at = 0; at < due.length; at += PARTS_PER_CALL) {
    await functions.deliver({ due: due.slice(at, at + PARTS_PER_CALL), nowMs: nowMs() });
  }
  return due.length;
}
