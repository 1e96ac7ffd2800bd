import { SvcError } from "../../contract/errors.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import type { Payload } from "../../contract/payload.ts";
import { removeTrailing } from "../patterns/remove-trailing.ts";
import type { TriggerEvent } from "../triggers/events.ts";
import { isBase64 } from "./base64.ts";
import { readCloudEvent } from "./cloud-event.ts";
import { removeCredentials } from "./credentials.ts";
import { groupByName, parseFormText } from "./form-text.ts";
import { parseJson, tryParseJson } from "./json.ts";
import { type FormFile, readMultipart } from "./multipart.ts";

export interface PayloadOptions {
  /** The whole body is the argument `body`. */
  wrapBody: boolean;
  /** The unparsed text is also the argument `raw_string`. */
  raw: boolean;
  /** Headers that become arguments. */
  headers: readonly string[];
  /** Query parameters that become arguments. */
  query: readonly string[];
  /** The complete request is also needed, for a preprocessor. */
  event?: boolean;
}

/** The arguments of a script and its uploaded files. `mergeStoredFiles` adds the files after they are stored. */
export interface Arguments {
  args: Record<string, unknown>;
  files: FormFile[];
  event?: WebhookEvent | TriggerEvent;
  /** The form with its files is the argument `body`. */
  wrapped: boolean;
}

/**
 * A request in the form for preprocessors. `body` is omitted if the runner can derive it from `raw_string`, so that it is transferred once.
 * Credentials are removed, because a script must not receive the tokens of its callers.
 */
export interface WebhookEvent {
  kind: "webhook";
  body?: unknown;
  /** `null` for forms with files, because bytes are not text. */
  raw_string: string | null;
  query: Record<string, string | readonly string[]>;
  headers: Record<string, string>;
}

/** The argument that contains a body that is not JSON, and the complete body with `raw=true`. */
const RAW = "raw_string";
const BODY = "body";
const METADATA = "WEBHOOK__METADATA__";

/**
 * Converts a request to arguments (spec §4.2). A JSON object or a form yields one argument for each key. Other JSON becomes the argument `body`,
 * and other text the argument `raw_string`. Selected headers and query parameters take precedence, so that a body cannot forge them. Credentials
 * of the request are left out, even if they are selected. Throws `payload.*`, `body.notJson` for a `payload` parameter that is not JSON, and
 * `body.tooDeep`.
 */
export async function parseArguments(request: Payload, options: PayloadOptions): Promise<Arguments> {
  const payload = removeCredentials(request);
  const { method, headers, query, bytes } = payload;
  const event = await readCloudEvent(headers, bytes);
  const body =
    method === "GET"
      ? { json: parseJsonParameter(query["payload"]?.[0]), files: [] }
      : await bodyOf(event?.contentType ?? headers["content-type"], event?.bytes ?? bytes);
  const over = Object.fromEntries([
    ...(options.raw ? [[RAW, textOf(bytes, headers["content-type"])] as const] : []),
    ...chosenQuery(query, options.query),
    ...chosenHeaders(headers, options.headers),
    ...(event ? [[METADATA, event.metadata] as const] : []),
  ]);
  return {
    args: Object.fromEntries([...entriesOf(body, options.wrapBody), ...Object.entries(over)]),
    files: options.wrapBody ? body.files : body.files.filter(({ argument }) => !Object.hasOwn(over, argument)),
    wrapped: options.wrapBody,
    ...(options.event ? { event: eventOf(payload, body, event !== undefined && event.bytes !== bytes) } : {}),
  };
}

/** The files of a form after they were stored, by the names of their parts. */
type StoredFiles = Readonly<Record<string, readonly unknown[]>>;

/** Adds the stored files to the arguments, after the form's texts of the same name. */
export function mergeStoredFiles({ args, wrapped }: Arguments, stored: StoredFiles): Record<string, unknown> {
  if (!wrapped) return addFiles(args, stored);
  const form = args[BODY];
  // A selected header or query parameter of this name has replaced the form.
  return isJsonObject(form) ? { ...args, [BODY]: addFiles(form, stored) } : args;
}

/** Adds the stored files to the body of an event, as `mergeStoredFiles` adds them to the arguments. */
export function addFilesToEvent<E extends WebhookEvent | TriggerEvent>(event: E, stored: StoredFiles): E {
  const { body } = event;
  return Object.keys(stored).length === 0 || !isJsonObject(body) ? event : { ...event, body: addFiles(body, stored) };
}

function addFiles(form: Readonly<Record<string, unknown>>, stored: StoredFiles): Record<string, unknown> {
  const files = Object.entries(stored).map(([name, list]) => [name, Object.hasOwn(form, name) ? [form[name], list].flat() : list]);
  return Object.fromEntries([...Object.entries(form), ...files]) as Record<string, unknown>;
}

/** `unwrapped`: the body was inside an envelope. */
function eventOf({ method, headers, query, bytes }: Payload, body: Body, unwrapped: boolean): WebhookEvent {
  const multipart = headers["content-type"]?.trimStart().toLowerCase().startsWith("multipart/") ?? false;
  const derived = method !== "GET" && !unwrapped && body.plain === true;
  return {
    kind: "webhook",
    ...(derived ? {} : { body: "text" in body ? body.text : body.json }),
    raw_string: multipart && !("text" in body) ? null : textOf(bytes, headers["content-type"]),
    query: Object.fromEntries(chosenQuery(query, Object.keys(query))),
    headers: Object.fromEntries(chosenPairs(headers)),
  };
}

const chosenPairs = (headers: Payload["headers"]) =>
  Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));

/** `plain`: every parser of JSON derives the value from the complete text, as JSON or as plain text. */
type Body = ({ json: unknown } | { text: string }) & { files: FormFile[]; plain?: true };

function entriesOf(body: Body, wrap: boolean): (readonly [string, unknown])[] {
  const value = "text" in body ? body.text : body.json;
  if (wrap) return [[BODY, value], ...("text" in body ? [[RAW, value] as const] : [])];
  if ("text" in body) return [[RAW, value]];
  return isJsonObject(value) ? Object.entries(value) : [[BODY, value]];
}

async function bodyOf(contentType = "", bytes: Buffer): Promise<Body> {
  const type = contentType.split(";")[0]?.trim().toLowerCase();
  if (type === "multipart/form-data") {
    const { fields, files } = await readMultipart(contentType, bytes);
    return { json: Object.fromEntries(groupByName(fields)), files };
  }
  const text = textOf(bytes, contentType);
  if (text.trim() === "") return { json: {}, files: [] };
  if (type === "application/x-www-form-urlencoded") return { json: parseFormText(text), files: [] };
  const parsed = tryParseJson(text);
  // Other parsers refuse a byte order mark.
  const plain = text.startsWith("\ufeff") ? {} : { plain: true as const };
  return parsed ? { ...parsed, files: [], ...plain } : { text, files: [], ...plain };
}

/** Decodes a body with the charset of its content type, or as UTF-8 if the charset is unknown. A byte order mark remains. */
function textOf(bytes: Buffer, contentType = ""): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return bytes.toString("utf8");
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes);
  } catch {
    // The charset is unknown.
    return bytes.toString("utf8");
  }
}

/**
 * Parses the parameter `payload` of a GET request: JSON in base64, with either alphabet, padded or not. An absent payload is an empty
 * object. Throws `payload.base64`, `body.notJson` and `body.tooDeep`.
 */
export function parseJsonParameter(payload: string | undefined): unknown {
  if (payload === undefined || payload === "") return {};
  // A plus sign in a query arrives as a space.
  const plain = removeTrailing(payload.replaceAll(" ", "+"), "=");
  if (!isBase64(plain)) throw new SvcError("payload.base64", {});
  return parseJson(Buffer.from(plain, "base64").toString("utf8"));
}

function chosenHeaders(headers: Payload["headers"], names: readonly string[]): [string, string][] {
  return names.flatMap((name) => {
    const value = Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()] : undefined;
    return value === undefined ? [] : [[name.toLowerCase().replaceAll("-", "_"), value]];
  });
}

function chosenQuery(query: Payload["query"], names: readonly string[]): [string, string | readonly string[]][] {
  return names.flatMap((name) => {
    const values = Object.hasOwn(query, name) ? query[name] : undefined;
    return values === undefined ? [] : [[name, values.length > 1 ? values : (values[0] ?? "")]];
  });
}
