import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Functions } from "../../aws/lambda/functions.ts";
import { keys } from "../../core/objects/keys.ts";
import { PARTS_PER_CALL } from "./deliver.ts";

interface Collaborators {
  objects: Pick<ObjectTable, "list">;
  functions: Pick<Functions, "deliver">;
  nowMs: () => number;
}

/** Of one tick; the next one goes on. */
const MOST = 1000;

/**
 * Has all parts of notices sent whose time has come: those that failed before, and those whose sender died. Answers how many. Function `deliver`
 * does it, which alone may send anything.
 */
export async function deliverAgain({ objects, functions, nowMs }: Collaborators): Promise<number> {
  const until = keys.retry(nowMs(), "￿", "", "");
  const due = (await objects.list(until.pk, { between: ["0", until.sk], limit: MOST })).map(({ sk }) => sk);
  for (let at = 0; at < due.length; at += PARTS_PER_CALL) {
    await functions.deliver({ due: due.slice(at, at + PARTS_PER_CALL), nowMs: nowMs() });
  }
  return due.length;
}
