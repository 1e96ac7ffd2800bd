import type { CloudEventV1 } from "cloudevents";
import { SvcError } from "../../contract/errors.ts";
import { isJsonObject } from "../../contract/json/json-object.ts";
import type { Payload } from "../../contract/payload.ts";
import { isBase64 } from "./base64.ts";
import { tryParseJson } from "./json.ts";

/** A CloudEvents 1.0 envelope: its attributes, and its data as a separate body. */
export interface CloudEventEnvelope {
  metadata: Record<string, unknown>;
  contentType: string | undefined;
  bytes: Buffer;
}

const STRUCTURED = "application/cloudevents+json";
const BATCH = "application/cloudevents-batch+json";
/** Maximum number of characters of the package's message in a reply. */
const MESSAGE_MOST = 300;

/**
 * Reads the CloudEvents envelope of a request in binary (`ce-…` headers) or structured mode. Returns `undefined` for other requests. Throws
 * `payload.cloudEventBatch`, and `payload.cloudEvent` for attributes that CloudEvents 1.0 does not allow.
 */
export async function readCloudEvent(headers: Payload["headers"], bytes: Buffer): Promise<CloudEventEnvelope | undefined> {
  const contentType = headers["content-type"];
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type === BATCH) throw new SvcError("payload.cloudEventBatch", {});
  const structured = type === STRUCTURED;
  if (!structured && headers["ce-specversion"] === undefined && headers["ce-id"] === undefined) return undefined;
  const { data, data_base64: base64, ...metadata } = structured ? envelopeOf(bytes) : attributesOf(headers);
  await check(metadata);
  return structured ? { metadata, ...structuredData(metadata["datacontenttype"], data, base64) } : { metadata, contentType, bytes };
}

function envelopeOf(bytes: Buffer): Record<string, unknown> {
  const found = tryParseJson(bytes.toString("utf8"));
  if (!found) throw new SvcError("payload.cloudEvent", { reason: "its envelope is not JSON" });
  const { json } = found;
  if (!isJsonObject(json)) {
    throw new SvcError("payload.cloudEvent", { reason: "its envelope is not a JSON object" });
  }
  return json as Record<string, unknown>;
}

/** In binary mode, each attribute is a header, percent-encoded beyond ASCII. The content type of the body is the type of the data. */
function attributesOf(headers: Payload["headers"]): Record<string, unknown> {
  const attributes = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith("ce-") && value !== undefined ? [[name.slice(3), decoded(value)] as const] : [],
  );
  const contentType = headers["content-type"];
  return Object.fromEntries([...attributes, ...(contentType === undefined ? [] : [["datacontenttype", contentType] as const])]);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // A value with a stray percent sign stays as it is.
    return value;
  }
}

async function check(attributes: Record<string, unknown>): Promise<void> {
  if (attributes["specversion"] !== "1.0") throw new SvcError("payload.cloudEvent", { reason: "its specversion is not 1.0" });
  // Loaded with the first event, because most requests are not events.
  const { CloudEvent } = (await import("cloudevents")).default;
  try {
    new CloudEvent(attributes as Partial<CloudEventV1<unknown>>, true);
  } catch (error) {
    throw new SvcError("payload.cloudEvent", { reason: reasonOf(error) }, { cause: error });
  }
}

function structuredData(typeOfData: unknown, data: unknown, base64: unknown): Pick<CloudEventEnvelope, "contentType" | "bytes"> {
  const contentType = typeof typeOfData === "string" ? typeOfData : undefined;
  if (base64 !== undefined) {
    if (data !== undefined) throw new SvcError("payload.cloudEvent", { reason: "it has both data and data_base64" });
    if (typeof base64 !== "string" || !isBase64(base64))
      throw new SvcError("payload.cloudEvent", { reason: "its data_base64 is not valid base64" });
    return { contentType, bytes: Buffer.from(base64, "base64") };
  }
  if (data === undefined) return { contentType: undefined, bytes: Buffer.alloc(0) };
  const isText = typeof data === "string" && contentType !== undefined && !/[/+]json\b/i.test(contentType);
  // The text was decoded with the envelope, so the charset in the type does not apply.
  return isText
    ? { contentType: contentType.replace(/;\s*charset=[^;]*/i, ""), bytes: Buffer.from(data) }
    : { contentType: undefined, bytes: Buffer.from(JSON.stringify(data)) };
}

/** The package describes the fault in its validation errors. Any other error concerns the JSON of the envelope. */
function reasonOf(error: unknown): string {
  const { message = "", errors } = error as { message?: string; errors?: { instancePath?: string; message?: string }[] };
  const first = Array.isArray(errors) ? errors[0] : undefined;
  if (first?.message) return `${first.instancePath?.slice(1) || "the envelope"} ${first.message}`;
  // The message may repeat the name of an attribute, which has no maximum length.
  return message.slice(0, MESSAGE_MOST).split("\n")[0] || "its envelope is malformed";
}
