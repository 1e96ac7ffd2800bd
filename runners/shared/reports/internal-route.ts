import type { BeatReply, BeatRequest, ReportRequest, RunRequest } from "../../protocol.ts";

/** Statuses by which the route rejects an attempt, which must then stop. */
const REFUSED = new Set([401, 409]);

export type Beat = { acknowledged: true; reply: BeatReply } | { acknowledged: false };

/** The only connection from a supervisor to the service: it sends logs and memory usage and receives cancellations. */
export class InternalRoute {
  readonly #request: RunRequest;

  constructor(request: RunRequest) {
    this.#request = request;
  }

  /** Sends a beat. Never throws: a beat that did not arrive is not acknowledged. */
  async beat(body: Omit<BeatRequest, "attempt" | "nonce">, timeoutMs: number): Promise<Beat> {
    try {
      const response = await this.#post("beat", body, timeoutMs);
      if (REFUSED.has(response.status)) {
        await response.body?.cancel();
        return { acknowledged: true, reply: { go: "stop", reason: "This attempt of the job is no longer valid.", watched: false } };
      }
      if (!response.ok) {
        await response.body?.cancel();
        return { acknowledged: false };
      }
      return { acknowledged: true, reply: (await response.json()) as BeatReply };
    } catch {
      // The next heartbeat repeats the content of this one.
      return { acknowledged: false };
    }
  }

  /** Reports the outcome in at most three attempts. More are unnecessary, because the answer to the invocation also contains the outcome. */
  async report(outcome: ReportRequest["outcome"]): Promise<void> {
    for (const pauseMs of [0, 200, 1000]) {
      if (pauseMs) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      try {
        const response = await this.#post("report", { outcome }, 5000);
        await response.body?.cancel();
        if (response.status < 500 && response.status !== 429) return;
      } catch {
        // The loop tries again; after the last attempt, the invocation's answer still carries the outcome.
      }
    }
  }

  #post(kind: "beat" | "report", body: object, timeoutMs: number): Promise<Response> {
    const { internalUrl, job, attempt, nonce, token } = this.#request;
    return fetch(`${internalUrl}/api/internal/jobs/${encodeURIComponent(job)}/${kind}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ attempt, nonce, ...body }),
      signal: AbortSignal.timeout(timeoutMs),
    });
  }
}
