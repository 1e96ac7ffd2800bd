import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { limits } from "../../contract/limits.ts";
import { type Attempt, failedAttempt, refusedAttempt, sentAttempt } from "../../core/notifications/delivery.ts";
import { checkHost, ForbiddenAddress, guardedAgents } from "./egress.ts";

const GONE = 410;

/** Sends requests to URLs that users give (design §8). Addresses inside the network are refused, redirects are not followed, and the response body is not read. */
export const webhooks = {
  async post(address: string, headers: Record<string, string>, body: string): Promise<Attempt> {
    const url = URL.parse(address);
    if (!url || !/^https?:$/.test(url.protocol)) return refusedAttempt("it is no http or https address");
    try {
      checkHost(url);
      return outcomeOf(await statusOf(url, headers, body));
    } catch (error) {
      if (error instanceof ForbiddenAddress) return refusedAttempt("its address is not allowed: it lies inside of the network");
      const { name, code } = error as { name: string; code?: string };
      return failedAttempt(name === "AbortError" || name === "TimeoutError" ? "it gave no answer in time" : (code ?? name));
    }
  },
};
export type Webhooks = typeof webhooks;

function outcomeOf(status: number): Attempt {
  if (status >= 200 && status < 300) return sentAttempt;
  if (status >= 300 && status < 400) return failedAttempt(`it answered ${status}: redirects are not followed`);
  // Standard Webhooks: with this status, the receiver ends the subscription.
  return status === GONE ? refusedAttempt(`it answered ${status}`) : failedAttempt(`it answered ${status}`);
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
