import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { limits } from "../../contract/limits.ts";
import { type Attempt, failedAttempt, refusedAttempt } from "../../core/deliveries/attempt.ts";
import { parseRetryAfterMs } from "../../core/deliveries/schedule.ts";
import { createGuardedAgents, ForbiddenAddressError, guardUrl } from "./egress.ts";

const GONE = 410;

/** A batch of deliveries may wait for one receiver, and each needs its own connection. */
const agents = createGuardedAgents({ keepAlive: true });

/** The receiver answered in a way that ends the attempt. The message is shown to the workspace's admins. */
class AnswerError extends Error {
  override readonly name = "AnswerError";
}

interface PostOptions {
  /** The time within which the response must end, from the lookup of the name on. */
  answerMs: number;
}

/**
 * Sends requests to URLs that users provide (design §8). Addresses inside the network are blocked, redirects are not followed, and the
 * response body is read to its end and discarded. Errors contain no part of the URL.
 */
export const webhooks = {
  async post(address: string, headers: Record<string, string>, body: string, { answerMs }: PostOptions): Promise<Attempt> {
    const url = URL.parse(address);
    if (!url || !/^https?:$/.test(url.protocol)) return refusedAttempt("it is not an http or https URL");
    try {
      guardUrl(url);
      return await exchange(url, { headers, body }, answerMs);
    } catch (error) {
      if (error instanceof ForbiddenAddressError) return refusedAttempt("its address is inside the network, which is not allowed");
      if (error instanceof AnswerError) return failedAttempt(error.message);
      const { name, code } = error as { name: string; code?: string };
      return failedAttempt(code ?? name);
    }
  },
};
export type Webhooks = typeof webhooks;

function toOutcome(status: number, retryAfter: string | undefined): Attempt {
  if (status >= 200 && status < 300) return { ok: true, status };
  const failed = (error: string): Attempt => ({ ...failedAttempt(error), status });
  if (status >= 300 && status < 400) return failed(`it returned status ${status}: redirects are not followed`);
  // Standard Webhooks: with this status, the receiver ends the subscription.
  if (status === GONE) return { ok: false, final: true, error: `it returned status ${status}`, status, gone: true };
  const retryAfterMs = parseRetryAfterMs(retryAfter, Date.now());
  return { ...failed(`it returned status ${status}`), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** A receiver may close an idle connection at the moment of its next use. Then it has not read the request, which is sent again on a new one. */
class StaleConnectionError extends Error {
  override readonly name = "StaleConnectionError";
}

interface Message {
  headers: Record<string, string>;
  body: string;
}

async function exchange(url: URL, message: Message, answerMs: number): Promise<Attempt> {
  const timeout = new AbortController();
  // A separate timer, because a socket that receives a byte now and then is never idle.
  const timer = setTimeout(() => timeout.abort(), answerMs);
  try {
    return await send(url, message, timeout.signal).catch((error: unknown) => {
      if (!(error instanceof StaleConnectionError)) throw error;
      return send(url, message, timeout.signal);
    });
  } catch (error) {
    throw timeout.signal.aborted ? new AnswerError(`it did not respond within ${answerMs / 1000} s`) : error;
  } finally {
    clearTimeout(timer);
  }
}

function send(url: URL, { headers, body }: Message, signal: AbortSignal): Promise<Attempt> {
  const secure = url.protocol === "https:";
  const { promise, resolve, reject } = Promise.withResolvers<Attempt>();
  const request = (secure ? httpsRequest : httpRequest)(url, {
    method: "POST",
    agent: secure ? agents.httpsAgent : agents.httpAgent,
    headers: { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body), "user-agent": "svc" },
    signal,
  });
  request.once("response", (response) => {
    discardBody(response).then(() => resolve(toOutcome(response.statusCode ?? 0, response.headers["retry-after"])), reject);
  });
  request.on("error", (error: NodeJS.ErrnoException) => {
    reject(request.reusedSocket && error.code === "ECONNRESET" ? new StaleConnectionError() : error);
  });
  request.end(body);
  return promise;
}

/** Reads a response to its end, so that its connection can be used again. Throws `AnswerError` for one that is too large. */
async function discardBody(response: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > limits.webhookAnswerBytes) throw new AnswerError("its response is larger than 1 MB");
  }
}
