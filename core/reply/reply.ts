import { SvcError } from "../../contract/errors.ts";
import { parseExactJson } from "../../contract/json/exact-json.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import { limits } from "../../contract/limits.ts";
import { isBase64 } from "../payload/base64.ts";
import { type CookieScope, confineCookie } from "./cookie.ts";

/** The reply to a synchronous caller. `body` is text, or bytes in base64. */
export interface ShapedReply {
  status: number;
  /** Names in lower case, including the content type unless there is no body. */
  headers: Record<string, string>;
  body: string;
  base64: boolean;
}

/** The keys of a result that shape a reply (spec §4.4), with the prefix of svc and with that of this API family. */
const PREFIXES = ["svc_", "windmill_"] as const;
const KEYS = ["status_code", "content_type", "headers"] as const;
type Shape = Partial<Record<(typeof KEYS)[number], unknown>>;

/** Searching the text is cheaper than parsing a large result that has no such keys. */
const SHAPED = /"(svc|windmill)_(status_code|content_type|headers)"/;

/** Headers of the connection, which only the gateway may set. */
const CONNECTION = ["connection", "content-length", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"];
/** Headers that protect the visitors of all scripts and pages of this origin, or that apply to the whole origin. */
const ORIGIN_WIDE = [
  "access-control-allow-credentials",
  "alt-svc",
  "clear-site-data",
  "content-security-policy",
  "content-security-policy-report-only",
  "nel",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "strict-transport-security",
  "x-content-type-options",
];
const RESERVED: ReadonlySet<string> = new Set([...CONNECTION, ...ORIGIN_WIDE]);
const isReserved = (name: string) => RESERVED.has(name) || name.startsWith("x-svc-");
/** Replies without a body (RFC 9110 §15). A body would corrupt the next reply on the connection. */
const BODILESS = new Set([204, 205, 304]);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a header's value must not contain these characters
const NOT_IN_VALUE = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;

export interface ReplyOptions {
  /** The status, unless the result sets it. */
  status?: number;
  /** The scope of the cookies of the result. */
  cookies: CookieScope;
}

/**
 * Builds the reply for a result: the result as JSON with the default status, unless it is shaped. A failed job may shape its reply with the same keys on
 * its error. Throws `reply.shape` (400) for an invalid status, for headers that cannot be sent, and for both prefixes in one result.
 */
export function buildReply(id: string, resultJson: string, { status: defaultStatus = 200, cookies }: ReplyOptions): ShapedReply {
  const plain: ShapedReply = { status: defaultStatus, headers: { "content-type": "application/json" }, body: resultJson, base64: false };
  if (!SHAPED.test(resultJson)) return plain;
  const refuse = (reason: string) => new SvcError("reply.shape", { id, reason });
  const result = parseExactJson(resultJson);
  const found = shapeOf(result, refuse) ?? shapeOfError(result, refuse);
  if (!found) return plain;
  const { shape, body } = found;
  const headers = { ...headersOf(shape.headers, cookies, refuse), ...contentTypeOf(shape.content_type, refuse) };
  checkSize(headers, refuse);
  const type = headers["content-type"] ?? "application/json";
  const status = statusOf(shape.status_code, defaultStatus, refuse);
  if (BODILESS.has(status)) {
    const { "content-type": _, ...others } = headers;
    return { status, headers: others, body: "", base64: false };
  }
  return {
    status,
    ...bodyOf(body, type, refuse),
    headers: { ...headers, "content-type": type, ...sandboxOf(type) },
  };
}

type Refuse = (reason: string) => SvcError;

function shapeOf(value: unknown, refuse: Refuse): { shape: Shape; body: unknown } | undefined {
  if (!isJsonObject(value)) return undefined;
  const spelled = PREFIXES.filter((prefix) => KEYS.some((key) => Object.hasOwn(value, prefix + key)));
  if (spelled.length > 1) throw refuse("it has both svc_… and windmill_… keys; use one kind");
  const [prefix] = spelled;
  if (prefix === undefined) return undefined;
  return { shape: Object.fromEntries(KEYS.map((key) => [key, value[prefix + key]])), body: value["result"] ?? null };
}

/** The thrown value contains the keys. Without a `result`, the body is the error without the keys. */
function shapeOfError(value: unknown, refuse: Refuse): { shape: Shape; body: unknown } | undefined {
  const error = isJsonObject(value) ? value["error"] : undefined;
  const found = shapeOf(error, refuse);
  if (!found || !isJsonObject(error) || Object.hasOwn(error, "result")) return found;
  const rest = Object.fromEntries(Object.entries(error).filter(([key]) => !PREFIXES.some((prefix) => key.startsWith(prefix))));
  return { ...found, body: { error: rest } };
}

function statusOf(value: unknown, defaultStatus: number, refuse: Refuse): number {
  if (value === undefined || value === null) return defaultStatus;
  // RFC 9110 §15: three digits, the first of them 1 to 5. 1xx is not a final response.
  if (typeof value !== "number" || !Number.isInteger(value) || value < 200 || value > 599) {
    throw refuse(`its status code is ${JSON.stringify(value)}, but it must be an integer from 200 to 599`);
  }
  return value;
}

function contentTypeOf(value: unknown, refuse: Refuse): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "string" || value.trim() === "" || NOT_IN_VALUE.test(value)) throw refuse("its content type is not a media type");
  return { "content-type": value };
}

function headersOf(value: unknown, cookies: CookieScope, refuse: Refuse): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw refuse("its headers are not an object with string values");
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => {
      const key = name.toLowerCase();
      if (!HEADER_NAME.test(name)) throw refuse(`${JSON.stringify(name.slice(0, 50))} is not a valid header name`);
      if (isReserved(key)) throw refuse(`only this service sets the header ${name}, so a script cannot`);
      if (typeof text !== "string" && typeof text !== "number") throw refuse(`the header ${name} is not a string`);
      if (NOT_IN_VALUE.test(String(text))) throw refuse(`the header ${name} contains invalid characters`);
      return [key, key === "set-cookie" ? confineCookie(String(text), cookies, refuse) : String(text)];
    }),
  );
}

/** Gateways refuse a reply with longer headers, without a reason that the caller could read. */
function checkSize(headers: Record<string, string>, refuse: Refuse): void {
  const sizes = Object.entries(headers).map(([name, value]) => ({ name, bytes: name.length + value.length + 4 }));
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= limits.replyHeadBytes) return;
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  throw refuse(
    `its headers are longer than ${limits.replyHeadBytes / 1024} KB, the longest of them is ${largest?.name.slice(0, 100)}; send long values in the result`,
  );
}

function bodyOf(body: unknown, type: string, refuse: Refuse): Pick<ShapedReply, "body" | "base64"> {
  if (/^[^;]*\bjson\b/i.test(type)) return { body: JSON.stringify(body), base64: false };
  if (typeof body === "string") return { body, base64: false };
  if (isJsonObject(body) && Object.keys(body).length === 1 && typeof body["base64"] === "string") {
    // Some encoders insert line breaks.
    const base64 = body["base64"].replace(/[\r\n]/g, "");
    if (!isBase64(base64)) throw refuse("its result is not valid base64");
    // Gateways accept only this alphabet, with padding.
    return { body: Buffer.from(base64, "base64").toString("base64"), base64: true };
  }
  return { body: JSON.stringify(body), base64: false };
}

/** Only JSON: browsers treat a comma as the start of another media type, and the last one wins. JSON has no parameters other than the charset. */
const ONLY_JSON = /^application\/json(;\s*charset=[\w-]+)?$/i;

/** Everything that a browser could render gets an opaque origin, so that a script's page cannot use the session of its visitor. */
function sandboxOf(type: string): Record<string, string> {
  const nosniff = { "x-content-type-options": "nosniff" };
  if (ONLY_JSON.test(type)) return nosniff;
  return { "content-security-policy": "sandbox allow-forms allow-popups allow-scripts", ...nosniff };
}
