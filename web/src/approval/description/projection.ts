import type { MapView, Place } from "../../../../core/approvals/description-items.ts";

/**
 * Computes a map without images that shows the relative positions of places. It uses the Mercator projection, which preserves directions.
 */
export interface Projection {
  x: (lon: number) => number;
  y: (lat: number) => number;
  /** Returns the visible lines of the graticule with their labels. */
  meridians: Line[];
  parallels: Line[];
}
interface Line {
  at: number;
  label: string;
}

const TILE = 256;
/** Beyond this latitude, the Mercator projection diverges. */
const MOST_LAT = 85.0511;
const STEPS = [60, 30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005];

const worldX = (lon: number) => (lon + 180) / 360;
function worldY(lat: number): number {
  const inWorld = Math.max(-MOST_LAT, Math.min(MOST_LAT, lat));
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + (inWorld * Math.PI) / 360)) / (2 * Math.PI);
}
const latAt = (y: number) => (Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) * 360) / Math.PI - 90;

/** The size of the picture in pixels. */
export function projectionOf(view: MapView, width: number, height: number): Projection {
  const scale = TILE * 2 ** (view.zoom ?? zoomFor(view, width, height));
  // Returns the shorter distance: a marker at 179° is near a centre at -179°.
  const turned = (lon: number) => view.lon + ((((lon - view.lon + 180) % 360) + 360) % 360) - 180;
  const x = (lon: number) => width / 2 + (worldX(turned(lon)) - worldX(view.lon)) * scale;
  const y = (lat: number) => height / 2 + (worldY(lat) - worldY(view.lat)) * scale;
  const halfLon = Math.min(180, (width / 2 / scale) * 360);
  const north = latAt(Math.max(0, worldY(view.lat) - height / 2 / scale));
  const south = latAt(Math.min(1, worldY(view.lat) + height / 2 / scale));
  const step = STEPS.findLast((size) => (2 * halfLon) / size <= 7) ?? 60;
  return {
    x,
    y,
    meridians: between(view.lon - halfLon, view.lon + halfLon, step).map((lon) => ({
      at: width / 2 + (worldX(lon) - worldX(view.lon)) * scale,
      label: degrees(((((lon + 180) % 360) + 360) % 360) - 180, "E", "W", step),
    })),
    parallels: between(south, north, step).map((lat) => ({ at: y(lat), label: degrees(lat, "N", "S", step) })),
  };
}

/** The highest zoom that shows every marker around the centre. */
function zoomFor({ lat, lon, markers }: MapView, width: number, height: number): number {
  const ways = markers.flatMap((marker: Place) => {
    const dx = Math.abs(worldX(marker.lon) - worldX(lon));
    const dy = Math.abs(worldY(marker.lat) - worldY(lat));
    return [Math.min(dx, 1 - dx) / (width * 0.4), dy / (height * 0.4)];
  });
  const widest = Math.max(0, ...ways);
  if (widest === 0) return 5;
  return Math.max(0, Math.min(14, Math.log2(1 / (widest * TILE))));
}

function between(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, n) => (first + n) * step);
}

function degrees(value: number, positive: string, negative: string, step: number): string {
  const digits = Math.max(0, Math.ceil(-Math.log10(step)));
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? "0°" : `${text}°${value > 0 ? positive : negative}`;
}

/** Formats a position for people: `48.85660° N, 2.35220° E`. */
export const placeText = ({ lat, lon }: Place) =>
  `${Math.abs(lat).toFixed(5)}° ${lat < 0 ? "S" : "N"}, ${Math.abs(lon).toFixed(5)}° ${lon < 0 ? "W" : "E"}`;
