import { toLocalTime as toLocalTimeIn, toZonedTime } from "../../shared/form/zoned-time.ts";
import { shownZone } from "../../shared/time/time.ts";

const HAS_ZONE = /[Zz]$|[+-]\d\d:\d\d$/;

/** Formats a time as a field for local times expects it, in the zone in which times are shown: `2026-01-02T03:04`. */
export const toLocalTime = (atMs: number): string => toLocalTimeIn(new Date(atMs).toISOString(), shownZone());

/** Returns the time that a field for local times or an address contains, if it is complete. Without a zone, it is in the shown one. */
export function fromLocalTime(text: string): string | undefined {
  const atMs = Date.parse(HAS_ZONE.test(text) ? text : (toZonedTime(text, shownZone()) ?? ""));
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}
