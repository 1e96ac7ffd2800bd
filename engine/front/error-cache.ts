import type http from "node:http";

/** CloudFront's time for an error without a setting. */
const DEFAULT_TTL_S = 10;

/** Statuses that CloudFront stores without a `max-age`. Replies with others are stored for their `max-age`, which the cache policy bounds to zero. */
const STORED = new Set([404, 410, 414, 500, 501, 502, 503, 504]);

/** Statuses for which CloudFront obeys a reply that must not be stored. It ignores such a reply for all others. */
const OBEYS_NO_STORE = new Set([404, 410, 414, 501]);

interface StoredError {
  status: number;
  headers: string[];
  body: Buffer;
  atMs: number;
  untilMs: number;
}

/**
 * Stores errors as CloudFront does: by path alone, for the time that the distribution sets for their status. With the times of this service it stores
 * none; a status without a time would show in tests, as it would on AWS.
 */
export class ErrorCache {
  readonly #ttlS: Readonly<Record<number, number>>;
  readonly #stored = new Map<string, StoredError>();

  constructor(ttlS: Readonly<Record<number, number>>) {
    this.#ttlS = ttlS;
  }

  /** Answers a request with a stored error. Returns false if there is none. */
  answer({ method }: http.IncomingMessage, response: http.ServerResponse, path: string): boolean {
    const found = isReading(method) ? this.#stored.get(path) : undefined;
    const nowMs = Date.now();
    if (!found || found.untilMs <= nowMs) return false;
    const age = String(Math.floor((nowMs - found.atMs) / 1000));
    response.writeHead(found.status, [...found.headers, "Age", age, "X-Cache", "Error from cloudfront"]);
    response.end(method === "HEAD" ? undefined : found.body);
    return true;
  }

  /** Stores the engine's reply to a request once it is complete, if CloudFront would. */
  store({ method }: http.IncomingMessage, answer: http.IncomingMessage, { path, headers }: { path: string; headers: string[] }): void {
    const status = answer.statusCode ?? 0;
    const ttlS = this.#ttlS[status] ?? DEFAULT_TTL_S;
    const isRefused = OBEYS_NO_STORE.has(status) && /no-store|no-cache|private/i.test(answer.headers["cache-control"] ?? "");
    if (!isReading(method) || !STORED.has(status) || ttlS === 0 || isRefused) return;
    const chunks: Buffer[] = [];
    answer.on("data", (chunk: Buffer) => chunks.push(chunk));
    answer.once("end", () => {
      const atMs = Date.now();
      this.#stored.set(path, { status, headers, body: Buffer.concat(chunks), atMs, untilMs: atMs + ttlS * 1000 });
    });
  }
}

const isReading = (method: string | undefined) => method === "GET" || method === "HEAD";
