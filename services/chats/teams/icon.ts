import { crc32, deflateSync } from "node:zlib";

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** The two strokes of a check mark, in parts of the width. */
const STROKES = [
  { from: [0.22, 0.52], to: [0.42, 0.72] },
  { from: [0.42, 0.72], to: [0.78, 0.3] },
] as const;
const HALF_WIDTH = 0.06;

/** Draws a check mark as a PNG image (https://www.w3.org/TR/png-3). */
export function drawIcon(size: number, mark: Colour, background: Colour): Buffer {
  const rows = Array.from({ length: size }, (_, y) => {
    const pixels = Array.from({ length: size }, (__, x) => (isInMark((x + 0.5) / size, (y + 0.5) / size) ? mark : background));
    // Each row begins with the number of its filter: none.
    return Buffer.from([0, ...pixels.flat()]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // 8 bits for each of red, green, blue and alpha.
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.concat(rows))), chunk("IEND", Buffer.alloc(0))]);
}

/** Returns whether a point is near enough to a stroke. */
const isInMark = (x: number, y: number) =>
  STROKES.some(({ from: [x1, y1], to: [x2, y2] }) => {
    const [dx, dy] = [x2 - x1, y2 - y1];
    const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)));
    return Math.hypot(x - x1 - along * dx, y - y1 - along * dy) <= HALF_WIDTH;
  });

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
