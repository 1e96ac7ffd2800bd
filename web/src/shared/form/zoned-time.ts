/** Returns the distance of a time zone from UTC at a time. */
export function offsetMs(zone: string, atMs: number): number {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(atMs);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign = "+", hours = "0", minutes = "0"] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

const toMinutes = (ms: number) => new Date(ms).toISOString().slice(0, 16);

/** Returns the moment of a local time in a zone, with the offset of the zone: `2026-01-02T10:00:00+01:00`. */
export function toZonedTime(local: string, zone: string): string | undefined {
  const asUtcMs = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtcMs)) return undefined;
  // The offset at the moment itself counts, which differs from the first guess around a change of the clocks.
  const offset = offsetMs(zone, asUtcMs - offsetMs(zone, asUtcMs));
  const [sign, minutes] = [offset < 0 ? "-" : "+", Math.abs(offset) / 60_000];
  const pad = (number: number) => String(number).padStart(2, "0");
  return `${toMinutes(asUtcMs)}:00${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/** Returns the local time of a moment in a zone, as a field for local times holds it. */
export function toLocalTime(moment: unknown, zone: string): string {
  const atMs = typeof moment === "string" ? Date.parse(moment) : Number.NaN;
  return Number.isNaN(atMs) ? "" : toMinutes(atMs + offsetMs(zone, atMs));
}
