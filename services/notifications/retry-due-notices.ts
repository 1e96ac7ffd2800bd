import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Functions } from "../../aws/lambda/functions.ts";
import { keys } from "../../core/objects/keys.ts";
import { PARTS_PER_CALL } from "./deliver-notice.ts";

export interface RetryDueDeps {
  objects: Pick<ObjectTable, "list">;
  functions: Pick<Functions, "startDelivery">;
  nowMs: () => number;
}

/** The number of parts that one tick sends; the next tick sends the rest. */
const MAX_PARTS = 1000;

/**
 * Invokes the function `deliver` for all parts of notices that are due, and returns their number: parts that failed before, and parts whose
 * sender died. Only that function has the right to send.
 */
export async function retryDueNotices({ objects, functions, nowMs }: RetryDueDeps): Promise<number> {
  const until = keys.retry(nowMs(), "￿", "", "");
  const due = (await objects.list(until.pk, { between: ["0", until.sk], limit: MAX_PARTS })).map(({ sk }) => sk);
  for (let at = 0; at < due.length; at += PARTS_PER_CALL) {
    await functions.startDelivery({ due: due.slice(at, at + PARTS_PER_CALL), nowMs: nowMs() });
  }
  return due.length;
}
