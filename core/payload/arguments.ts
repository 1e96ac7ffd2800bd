import { SvcError } from "../../contract/errors.ts";
import type { Payload } from "../../contract/payload.ts";
import { takeCloudEvent } from "./cloud-event.ts";
import { jsonIfAny, parseJson } from "./json.ts";
import { type FormFile, readMultipart } from "./multipart.ts";

export interface PayloadOptions {
  /** Whatever came stands under `body`. */
  wrapBody: boolean;
  /** The unparsed text stands under `raw_string` as well. */
  raw: boolean;
  /** Headers that become arguments. */
  headers: readonly string[];
  /** Query parameters that become arguments. */
  query: readonly string[];
}

/** A script's arguments, and the files among them: each argument named by a file is to become a list of stored objects. */
export interface Arguments {
  args: Record<string, unknown>;
  files: FormFile[];
}

/** The argument that holds what could not be parsed, and with `raw=true` everything that came. */
const RAW = "raw_string";
const BODY = "body";
const METADATA = "WEBHOOK__METADATA__";

/**
 * What a request means as arguments (spec §4.2): a JSON object or a form gives each key, any other JSON stands under `body`, what
 * is no JSON under `raw_string`. Named headers and query parameters come on top, so that a body cannot forge them.
 * Throws `payload.*`, `body.notJson` for a `payload` parameter that holds no JSON, and `body.tooDeep`.
 */
export async function argumentsOf(payload: Payload, options: PayloadOptions): Promise<Arguments> {
  const { method, headers, query, bytes } = payload;
  const event = await takeCloudEvent(headers, bytes);
  const body =
    method === "GET"
      ? parameterOf(query["payload"]?.[0])
      : await bodyOf(event?.contentType ?? headers["content-type"], event?.bytes ?? bytes);
  return {
    args: Object.fromEntries([
      ...entriesOf(body, options.wrapBody),
      ...(options.raw ? [[RAW, bytes.toString("utf8")] as const] : []),
      ...chosenQuery(query, options.query),
      ...chosenHeaders(headers, options.headers),
      ...(event ? [[METADATA, event.metadata] as const] : []),
    ]),
    files: options.wrapBody ? [] : body.files,
  };
}

type Body = { json: unknown; files: FormFile[] } | { text: string; files: FormFile[] };

function entriesOf(body: Body, wrap: boolean): (readonly [string, unknown])[] {
  const value = "text" in body ? body.text : body.json;
  if (wrap) return [[BODY, value], ...("text" in body ? [[RAW, value] as const] : [])];
  if ("text" in body) return [[RAW, value]];
  return isObject(value) ? Object.entries(value) : [[BODY, value]];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

async function bodyOf(contentType = "", bytes: Buffer): Promise<Body> {
  const type = contentType.split(";")[0]?.trim().toLowerCase();
  if (type === "multipart/form-data") {
    const { fields, files } = await readMultipart(contentType, bytes);
    return { json: Object.fromEntries(grouped(fields)), files };
  }
  const text = bytes.toString("utf8");
  if (text.trim() === "") return { json: {}, files: [] };
  if (type === "application/x-www-form-urlencoded") return { json: formOf(text), files: [] };
  const parsed = jsonIfAny(text);
  return parsed ? { ...parsed, files: [] } : { text, files: [] };
}

/** Programs send JSON under curl's default type as well: a form whose text is a JSON object or list is one. */
function formOf(text: string): unknown {
  const json = /^\s*[[{]/.test(text) ? jsonIfAny(text) : undefined;
  return json ? json.json : Object.fromEntries(grouped(new URLSearchParams(text)));
}

/** A name that comes more than once becomes a list, in the order sent. */
function grouped(pairs: Iterable<readonly [string, string]>): Map<string, string | string[]> {
  const all = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const known = all.get(name);
    if (known) known.push(value);
    else all.set(name, [value]);
  }
  return new Map([...all].map(([name, values]) => [name, values.length > 1 ? values : (values[0] as string)]));
}

/** The arguments of a GET: JSON in base64, in either alphabet, padded or not. */
function parameterOf(payload: string | undefined): Body {
  if (payload === undefined || payload === "") return { json: {}, files: [] };
  // A plus sign in a query arrives as a space.
  const plain = payload.replaceAll(" ", "+").replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (!/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) throw new SvcError("payload.base64", {});
  return { json: parseJson(Buffer.from(plain, "base64").toString("utf8")), files: [] };
}

function chosenHeaders(headers: Payload["headers"], names: readonly string[]): [string, string][] {
  return names.flatMap((name) => {
    const value = headers[name.toLowerCase()];
    return value === undefined ? [] : [[name.toLowerCase().replaceAll("-", "_"), value]];
  });
}

function chosenQuery(query: Payload["query"], names: readonly string[]): [string, string | readonly string[]][] {
  return names.flatMap((name) => {
    const values = Object.hasOwn(query, name) ? query[name] : undefined;
    return values === undefined ? [] : [[name, values.length > 1 ? values : (values[0] ?? "")]];
  });
}
