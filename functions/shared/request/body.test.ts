import zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH } from "../../../contract/json/exact-json.ts";
import { limits } from "../../../contract/limits.ts";
import { parseJsonBody, readBodyBytes } from "./body.ts";

const read = (body: string | null, isBase64Encoded = false) => parseJsonBody({ body, isBase64Encoded });
const detailsOf = (body: string): Promise<unknown> => read(body).catch((error: { details: unknown }) => error.details);

describe("parseJsonBody", () => {
  it("accepts every JSON value, also as base64, and an empty body as {}", async () => {
    expect(await read('[1, "a", null]')).toEqual([1, "a", null]);
    expect(await read(Buffer.from('{"ä":1}').toString("base64"), true)).toEqual({ ä: 1 });
    expect([await read(null), await read(""), await read(" \n")]).toEqual([{}, {}, {}]);
  });

  it("half of a surrogate pair becomes U+FFFD, and other escaped text is unchanged", async () => {
    expect(await read('{"\\ud800":["\\uDFFF","\\ud83d\\ude00","\\\\ud800"]}')).toEqual({ "\ufffd": ["\ufffd", "😀", "\\ud800"] });
  });

  it.each([
    ["{", "it ends at position 1 (line 1, column 2)"],
    ["tru", "it ends at position 3 (line 1, column 4)"],
    ['{"a": "x', "it ends at position 8 (line 1, column 9)"],
    ["hello", 'there is an unexpected "h" at position 0 (line 1, column 1)'],
    ["falsx", 'there is an unexpected "x" at position 4 (line 1, column 5)'],
    ['{"a": hello}', 'there is an unexpected "h" at position 6 (line 1, column 7)'],
    ['{\n  "a": 1,\n}', 'there is an unexpected "}" at position 12 (line 3, column 1)'],
    ['{"a": 1} {}', 'there is an unexpected "{" at position 9 (line 1, column 10)'],
    ['["😀", 😀]', 'there is an unexpected "😀" at position 7 (line 1, column 8)'],
    [`{"at position 3": ${"[1],".repeat(5)}`, 'there is an unexpected "[" at position 22 (line 1, column 23)'],
    [`{"a": "${"x".repeat(50_000)}", "b": oops}`, 'there is an unexpected "o" at position 50015 (line 1, column 50016)'],
  ])("names the position at which a text stops being JSON: %.30s", async (body, position) => {
    expect(await detailsOf(body)).toEqual({ position: expect.stringContaining(position) });
  });

  it("refuses a body that is nested deeper than the limit, and does not count brackets in strings", async () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(await detailsOf(nested(MAX_DEPTH + 1))).toEqual({ limit: MAX_DEPTH });
    expect(await detailsOf(nested(100_000))).toEqual({ limit: MAX_DEPTH });
    expect(await read(JSON.stringify({ text: '"\\'.concat(nested(1000)) }))).toEqual({ text: '"\\'.concat(nested(1000)) });
    expect(await read(nested(MAX_DEPTH))).toBeInstanceOf(Array);
  });
});

describe("a body with a content encoding", () => {
  const decode = (encoding: string | undefined, bytes: Buffer) =>
    readBodyBytes({ body: bytes.toString("base64"), isBase64Encoded: true, headers: { "content-encoding": encoding } });
  const codeOf = (encoding: string, bytes: Buffer): Promise<unknown> =>
    decode(encoding, bytes).then(String, (error: { code: unknown }) => error.code);
  const encoders: [string, (bytes: Uint8Array) => Buffer][] = [
    ["gzip", zlib.gzipSync],
    ["X-GZip", zlib.gzipSync],
    ["deflate", zlib.deflateSync],
    ["deflate", zlib.deflateRawSync],
    ["br", zlib.brotliCompressSync],
    ["gzip, br", (bytes) => zlib.brotliCompressSync(zlib.gzipSync(bytes))],
    ["identity", Buffer.from],
    ["", Buffer.from],
  ];

  it.each(encoders)("is decoded: %s", async (encoding, encode) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        expect((await decode(encoding, encode(bytes))).equals(bytes)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it.each(encoders.slice(0, -2))("is refused if it decodes to more than the limit: %s", async (encoding, encode) => {
    const bomb = encode(Buffer.alloc(limits.requestBodyBytes + 1));
    expect(bomb.length).toBeLessThan(10_000);
    expect(await codeOf(encoding, bomb)).toBe("body.tooLarge");
    expect(await decode(encoding, encode(Buffer.alloc(limits.requestBodyBytes)))).toHaveLength(limits.requestBodyBytes);
  });

  it.each(encoders.slice(0, -2))("is refused if it is damaged or cut: %s", async (encoding, encode) => {
    const whole = encode(Buffer.from('{"a":1}'.repeat(50)));
    for (const damaged of [whole.subarray(0, -3), Buffer.from("{}"), Buffer.from([0xff, 0xff, 0xff])])
      expect(await codeOf(encoding, damaged)).toBe("body.notDecoded");
  });

  it.each(["zstd", "compress", "gzip, unknown", "__proto__", "gzip, gzip, gzip, gzip"])(
    "is refused if the encoding is not supported: %s",
    async (encoding) => {
      expect(await codeOf(encoding, zlib.gzipSync("{}"))).toBe("body.encoding");
    },
  );

  it("may be empty", async () => {
    expect(await decode("gzip", Buffer.alloc(0))).toHaveLength(0);
  });
});
