import { describe, expect, it } from "vitest";
import { placeText, projectionOf } from "./projection.ts";

const [W, H] = [640, 360];
const at = (lat: number, lon: number, more: object = {}) => projectionOf({ lat, lon, markers: [], ...more }, W, H);

describe("the projection of the map", () => {
  it("the centre is in the middle, east to the right and north above", () => {
    const { x, y } = at(48, 2, { zoom: 6 });
    expect([x(2), y(48)]).toEqual([W / 2, H / 2]);
    expect(x(3)).toBeGreaterThan(W / 2);
    expect(y(49)).toBeLessThan(H / 2);
  });

  it("the width of the world is 256 points at zoom 0, and doubles with each step", () => {
    expect(at(0, 0, { zoom: 0 }).x(90) - W / 2).toBeCloseTo(64);
    expect(at(0, 0, { zoom: 1 }).x(90) - W / 2).toBeCloseTo(128);
  });

  it("the map crosses the date line if that is shorter", () => {
    expect(at(0, 179, { zoom: 4 }).x(-179)).toBeGreaterThan(W / 2);
    expect(at(0, -179, { zoom: 4 }).x(179)).toBeLessThan(W / 2);
  });

  it("the poles remain on the map", () => {
    for (const lat of [90, -90]) expect(Number.isFinite(at(lat, 0).y(lat))).toBe(true);
  });

  it("a map without a zoom is as close as its markers allow", () => {
    const markers = [
      { lat: 52.5, lon: 13.4, title: "Berlin" },
      { lat: 41.9, lon: 12.5, title: "Rome" },
      { lat: 48.85, lon: 2.35, title: "Paris" },
    ];
    const { x, y } = at(48.85, 2.35, { markers });
    for (const { lat, lon } of markers) {
      expect(x(lon)).toBeGreaterThanOrEqual(0);
      expect(x(lon)).toBeLessThanOrEqual(W);
      expect(y(lat)).toBeGreaterThanOrEqual(0);
      expect(y(lat)).toBeLessThanOrEqual(H);
    }
  });

  it.each([0, 2, 5, 9, 14, 18, 20])("the map at zoom %d has a few named grid lines", (zoom) => {
    const { meridians, parallels } = at(48.85, 2.35, { zoom });
    for (const lines of [meridians, parallels]) {
      expect(lines.length).toBeGreaterThanOrEqual(zoom > 18 ? 0 : 1);
      expect(lines.length).toBeLessThan(12);
      expect(new Set(lines.map(({ label }) => label)).size).toBe(lines.length);
    }
  });

  it("coordinates are written in a readable form", () => {
    expect(placeText({ lat: 48.8566, lon: -2.3522 })).toBe("48.85660° N, 2.35220° W");
    expect(placeText({ lat: -33, lon: 151 })).toBe("33.00000° S, 151.00000° E");
  });
});
