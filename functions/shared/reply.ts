import type { APIGatewayProxyResult } from "aws-lambda";

/** `chunks`: the body piece by piece, from a function that can stream, until nobody reads it any more. */
export type Reply = APIGatewayProxyResult & { chunks?: (gone: AbortSignal) => AsyncGenerator<string> };
type Headers = Record<string, string>;

export const text = (statusCode: number, body: string, headers: Headers = {}): Reply => ({
  statusCode,
  headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
  body,
});

/** An empty body under a JSON type breaks clients: `undefined` is sent as `null`. */
export const json = (statusCode: number, value: unknown, headers: Headers = {}): Reply =>
  jsonText(statusCode, JSON.stringify(value ?? null), headers);

/** JSON that is text already: a kept result is sent without being parsed again. */
export const jsonText = (statusCode: number, body: string, headers: Headers = {}): Reply => ({
  statusCode,
  headers: { "Content-Type": "application/json", ...headers },
  body,
});

/** Marks the reply to a call whose idempotency key is known. */
export function markReplay(reply: Reply, replayed: boolean): Reply {
  return replayed ? { ...reply, headers: { ...reply.headers, "x-svc-idempotent-replay": "true" } } : reply;
}
