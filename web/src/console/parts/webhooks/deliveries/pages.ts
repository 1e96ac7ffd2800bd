import type { Search } from "../../../data/address.ts";
import { fromLocalTime } from "../../local-time.ts";
import type { EventType } from "../event-types.ts";
import type { DeliveryQuery } from "../source.ts";

export const PER_PAGE = 50;
export const filterNames = ["event", "state", "endpoint", "path", "from", "to"] as const;
const states: readonly NonNullable<DeliveryQuery["state"]>[] = ["pending", "sent", "retrying", "failed"];

/** Returns the query of the filters in the address. A value that no filter has does not filter. */
export const toDeliveryQuery = (search: Search, types: readonly EventType[]): DeliveryQuery => ({
  type: types.find((type) => type === search["event"]),
  state: states.find((state) => state === search["state"]),
  endpoint: search["endpoint"] || undefined,
  path: search["path"] || undefined,
  after: fromLocalTime(search["from"] ?? ""),
  before: fromLocalTime(search["to"] ?? ""),
});

export interface Cursor {
  page: number;
  before?: string;
}

/** The answer of a receiver in words, or why there was none. */
export const answerText = ({ status, error }: { status?: number | undefined; error?: string | undefined }): string =>
  error ? error.charAt(0).toUpperCase() + error.slice(1) : String(status ?? "");

/** Returns the cursor of the next page: after a full page, the next one, otherwise the time that the service names if more deliveries may match. */
export function nextCursor(count: number, before: string | null, { page, before: sentBefore }: Cursor): Cursor | undefined {
  if (count === PER_PAGE) return { page: page + 1, ...(sentBefore ? { before: sentBefore } : {}) };
  return before ? { page: 1, before } : undefined;
}
