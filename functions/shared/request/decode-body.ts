import zlib from "node:zlib";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";

/** No real client sends a longer list. */
const MOST_ENCODINGS = 3;

type Decoder = (bytes: Buffer, options: zlib.ZlibOptions) => Buffer;

/** Decoders that stop at the limit, so that a small body cannot fill the memory. */
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", zlib.gunzipSync],
  ["x-gzip", zlib.gunzipSync],
  // Some clients send the bare stream under this name.
  ["deflate", (bytes, options) => (hasZlibHeader(bytes) ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options))],
  ["br", (bytes, { maxOutputLength = 0 }) => zlib.brotliDecompressSync(bytes, { maxOutputLength })],
]);

/** RFC 1950: the method is 8, and the first two bytes are a multiple of 31. */
const hasZlibHeader = (bytes: Buffer) => bytes.length >= 2 && ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;

/**
 * Decodes a body by its header `Content-Encoding`. Throws `body.encoding` for other encodings than gzip, deflate and br, `body.notDecoded`, and
 * `body.tooLarge` for a small body that decodes to a large one.
 */
export function decodeBody(bytes: Buffer, header: string): Buffer {
  const encodings = header.split(",").flatMap((name) => {
    const encoding = name.trim().toLowerCase();
    return encoding === "" || encoding === "identity" ? [] : [encoding];
  });
  if (encodings.length > MOST_ENCODINGS) throw new SvcError("body.encoding", { encoding: header.slice(0, 50) });
  // The last encoding was applied last (RFC 9110 §8.4).
  return encodings.reduceRight<Buffer>((encoded, encoding) => decodeOnce(encoding, encoded), bytes);
}

function decodeOnce(encoding: string, bytes: Buffer): Buffer {
  const decoder = DECODERS.get(encoding);
  if (!decoder) throw new SvcError("body.encoding", { encoding: encoding.slice(0, 50) });
  if (bytes.length === 0) return bytes;
  try {
    return decoder(bytes, { maxOutputLength: limits.requestBodyBytes });
  } catch (cause) {
    if ((cause as { code?: string }).code !== "ERR_BUFFER_TOO_LARGE") throw new SvcError("body.notDecoded", { encoding }, { cause });
    throw new SvcError("body.tooLarge", { limitBytes: limits.requestBodyBytes, what: "body" }, { cause });
  }
}
