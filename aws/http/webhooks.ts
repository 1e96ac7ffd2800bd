import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { limits } from "../../contract/limits.ts";
import { type Attempt, failedAttempt, refusedAttempt, sentAttempt } from "../../core/notifications/delivery.ts";
import { checkHost, ForbiddenAddressError, guardedAgents } from "./egress.ts";

const GONE = 410;

/**
 * Sends requests to URLs that users provide (design §8). Addresses inside the network are blocked, redirects are not followed, and the
 * response body is not read.
 */
export const webhooks = {
  async post(address: string, headers: Record<string, string>, body: string): Promise<Attempt> {
    const url = URL.parse(address);
    if (!url || !/^https?:$/.test(url.protocol)) return refusedAttempt("it is not an http or https URL");
    try {
      checkHost(url);
      return outcomeOf(await statusOf(url, headers, body));
    } catch (error) {
      if (error instanceof ForbiddenAddressError) return refusedAttempt("its address is inside the network, which is not allowed");
      const { name, code } = error as { name: string; code?: string };
      return failedAttempt(name === "AbortError" || name === "TimeoutError" ? "it did not respond in time" : (code ?? name));
    }
  },
};
export type Webhooks = typeof webhooks;

function outcomeOf(status: number): Attempt {
  if (status >= 200 && status < 300) return sentAttempt;
  if (status >= 300 && status < 400) return failedAttempt(`it returned status ${status}: redirects are not followed`);
  // Standard Webhooks: with this status, the receiver ends the subscription.
  return status === GONE ? refusedAttempt(`it returned status ${status}`) : failedAttempt(`it returned status ${status}`);
}

function statusOf(url: URL, headers: Record<string, string>, body: string): Promise<number> {
  const secure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(url, {
      method: "POST",
      agent: secure ? guardedAgents.httpsAgent : guardedAgents.httpAgent,
      headers: { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body), "user-agent": "svc" },
      signal: AbortSignal.timeout(limits.webhookAnswerMs),
    });
    request.once("response", (response) => {
      resolve(response.statusCode ?? 0);
      response.on("error", () => {});
      response.destroy();
    });
    request.once("error", reject);
    request.end(body);
  });
}
