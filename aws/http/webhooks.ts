import { defined } from "../../contract/defined.ts";
import { limits } from "../../contract/limits.ts";
import { type Attempt, failedAttempt, refusedAttempt } from "../../core/deliveries/attempt.ts";
import { parseRetryAfterMs } from "../../core/deliveries/schedule.ts";
import type { Webhooks } from "../../ports/senders.ts";
import { ForbiddenAddressError } from "./egress.ts";
import { ResponseError, sendGuarded } from "./guarded-fetch.ts";

const GONE = 410;

interface PostOptions {
  /** The time within which the response must end, including the DNS lookup. */
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
      const { status, headers: replyHeaders } = await sendGuarded(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        timeoutMs: answerMs,
        maxBytes: limits.webhookAnswerBytes,
        // A batch of deliveries may wait for one receiver, and each needs its own connection.
        keepAlive: true,
      });
      return toOutcome(status, replyHeaders["retry-after"]);
    } catch (error) {
      if (error instanceof ForbiddenAddressError) return refusedAttempt("its address is inside the network, which is not allowed");
      if (error instanceof ResponseError)
        return failedAttempt(
          error.fault === "late" ? `it did not respond within ${answerMs / 1000} s` : "its response is larger than 1 MB",
        );
      const { name, code } = error as { name: string; code?: string };
      return failedAttempt(code ?? name);
    }
  },
} satisfies Webhooks;

function toOutcome(status: number, retryAfter: string | undefined): Attempt {
  if (status >= 200 && status < 300) return { ok: true, status };
  const failed = (error: string): Attempt => ({ ...failedAttempt(error), status });
  if (status >= 300 && status < 400) return failed(`it returned status ${status}: redirects are not followed`);
  // Standard Webhooks: with this status, the receiver ends the subscription.
  if (status === GONE) return { ok: false, final: true, error: `it returned status ${status}`, status, gone: true };
  const retryAfterMs = parseRetryAfterMs(retryAfter, Date.now());
  return { ...failed(`it returned status ${status}`), ...defined({ retryAfterMs }) };
}
