import { shownZone } from "./time.ts";

/** Returns the time zones to choose from: the reader's first. */
export const listZones = (): string[] => [...new Set([shownZone(), "UTC", ...Intl.supportedValuesOf("timeZone")])];
