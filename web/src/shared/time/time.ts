let zone: string | undefined;
let full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
let exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

/** Sets the time zone in which times are shown. Undefined, or a zone that the browser does not know: the browser's zone. */
export function setTimeZone(timeZone: string | undefined): void {
  if (timeZone === zone) return;
  try {
    full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", timeZone });
    exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long", timeZone });
    zone = timeZone;
  } catch {
    // The service knows more zones than an old browser.
    setTimeZone(undefined);
  }
}

/** The name of the zone in which times are shown. */
export const shownZone = (): string => full.resolvedOptions().timeZone;

/** Formats a time in the reader's time zone. */
export const dateText = (timestamp: string) => full.format(new Date(timestamp));

/** Formats a duration in its two largest units: `2 h 5 min`, or `less than a minute`. */
export function leftText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "less than a minute";
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24];
  if (days > 0) return `${days} ${days === 1 ? "day" : "days"} ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const units: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** Formats a time by its distance from now, in its largest unit: `5 minutes ago`. */
export function relativeText(atMs: number, nowMs: number): string {
  const [unit, unitMs] = units.find(([, ms]) => Math.abs(atMs - nowMs) >= ms) ?? (["second", 1000] as const);
  return relative.format(Math.trunc((atMs - nowMs) / unitMs), unit);
}

/** A time of the service lies this little ahead at most, if its clock is ahead of the browser's. */
const CLOCKS_DIFFER_MS = 60_000;

/** Formats a time as `relativeText` does. A time that has just been recorded is never in the future. */
export const recordedText = (atMs: number, nowMs: number): string =>
  relativeText(atMs, atMs - nowMs < CLOCKS_DIFFER_MS ? Math.max(nowMs, atMs) : nowMs);

/** Formats a time to the second, with the reader's time zone. */
export const exactText = (timestamp: string) => exact.format(new Date(timestamp));

/** Formats a duration: `320 ms`, `4.2 s`, `3 min 20 s` or `2 h 5 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
}
