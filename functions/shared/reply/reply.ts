import type { APIGatewayProxyResult } from "aws-lambda";
import type { Versioned } from "../../../core/objects/version.ts";
import { toEtag } from "../../../core/reply/etag.ts";

/** A reply. `chunks` yields the body in parts, for functions that can stream, until `gone` is aborted. */
export type Reply = APIGatewayProxyResult & { chunks?: (gone: AbortSignal) => AsyncGenerator<string>; audited?: never };

/** A reply with the name of the changed object for the audit log, which is not sent. Only routes that declare `{ reply: "named" }` may return one. */
export type NamedReply = Omit<Reply, "audited"> & { audited: string | undefined };

/** Returns the reply with the name of the changed object. */
export const nameAuditedResource = (reply: Reply, audited: string | undefined): NamedReply => ({ ...reply, audited });

type Headers = Record<string, string>;

/** Builds a reply with plain text. */
export const text = (statusCode: number, body: string, headers: Headers = {}): Reply => ({
  statusCode,
  headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
  body,
});

/** `undefined` is sent as `null`, because an empty body with a JSON type breaks clients. */
export const json = (statusCode: number, value: unknown, headers: Headers = {}): Reply =>
  jsonText(statusCode, JSON.stringify(value ?? null), headers);

/** Builds a reply with an object and its version. */
export const versioned = ({ json: value, version }: Versioned<unknown>): Reply => json(200, value, { ETag: toEtag(version) });

/** Sends JSON text without parsing it again. */
export const jsonText = (statusCode: number, body: string, headers: Headers = {}): Reply => ({
  statusCode,
  headers: { "Content-Type": "application/json", ...headers },
  body,
});

/** Marks the reply to a call whose idempotency key is known. */
export function markReplay(reply: Reply, replayed: boolean): Reply {
  return replayed ? { ...reply, headers: { ...reply.headers, "x-svc-idempotent-replay": "true" } } : reply;
}
