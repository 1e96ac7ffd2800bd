import { reportFailure } from "../../core/telemetry/telemetry.ts";
import type { Reply } from "./reply/reply.ts";

/** The number of names in a warning. */
const MOST_NAMED = 5;

/** Lists the first names, and shows that there are more. */
export const nameSome = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMED).join(", ") + (names.length > MOST_NAMED ? ", ..." : "");

/** Returns the reply with the warning that `find` returns, if there is one. The object is saved, so its reply does not depend on the warning. */
export async function addWarning(reply: Reply, failure: string, find: () => Promise<string | undefined>): Promise<Reply> {
  const warning = await find().catch((error: unknown) => reportFailure(failure, error, {}));
  return warning ? { ...reply, headers: { ...reply.headers, "x-svc-warning": warning } } : reply;
}
