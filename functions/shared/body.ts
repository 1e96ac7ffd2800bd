import zlib from "node:zlib";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { parseJson } from "../../core/payload/json.ts";

type SentBody = Pick<APIGatewayProxyEvent, "body" | "isBase64Encoded"> & { headers?: Readonly<Record<string, string | undefined>> };

/** Returns the decoded body. Throws `body.tooLarge`, also for a small body that decodes to a large one, `body.encoding` and `body.notDecoded`. */
export function readBodyBytes({ body, isBase64Encoded, headers = {} }: SentBody): Buffer {
  const bytes = Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > limits.requestBodyBytes) throw tooLarge();
  // The last encoding was applied last (RFC 9110 §8.4).
  return listEncodings(headers["content-encoding"]).reduceRight<Buffer>((encoded, encoding) => decode(encoding, encoded), bytes);
}

const tooLarge = (cause?: unknown) =>
  new SvcError("body.tooLarge", { limitBytes: limits.requestBodyBytes, what: "body" }, cause === undefined ? {} : { cause });

/** A longer list is no encoding of a real client. */
const MOST_ENCODINGS = 3;

function listEncodings(header = ""): string[] {
  const encodings = header.split(",").flatMap((name) => {
    const encoding = name.trim().toLowerCase();
    return encoding === "" || encoding === "identity" ? [] : [encoding];
  });
  if (encodings.length > MOST_ENCODINGS) throw new SvcError("body.encoding", { encoding: header.slice(0, 50) });
  return encodings;
}

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

function decode(encoding: string, bytes: Buffer): Buffer {
  const decoder = DECODERS.get(encoding);
  if (!decoder) throw new SvcError("body.encoding", { encoding: encoding.slice(0, 50) });
  if (bytes.length === 0) return bytes;
  try {
    return decoder(bytes, { maxOutputLength: limits.requestBodyBytes });
  } catch (cause) {
    throw (cause as { code?: string }).code === "ERR_BUFFER_TOO_LARGE"
      ? tooLarge(cause)
      : new SvcError("body.notDecoded", { encoding }, { cause });
  }
}

/** Returns the body as JSON; an empty body is `{}`. Throws as `readBodyBytes` does, `body.tooDeep`, and `body.notJson` with the position. */
export function parseJsonBody(event: SentBody): unknown {
  const source = readBodyBytes(event).toString("utf8");
  if (source.trim() === "") return {};
  return parseJson(source);
}
