import { LambdaClient } from "@aws-sdk/client-lambda";
import { once } from "./clients.ts";
import { countRequests } from "./request-counts.ts";

/**
 * A call of a runner lasts as long as its script. The client makes one attempt, because a second one would run the script again. Its
 * adapter classifies its errors, because the adapter must know whether the function has started.
 */
export const lambda = /* @__PURE__ */ once(() =>
  countRequests(
    new LambdaClient({
      maxAttempts: 1,
      requestHandler: {
        requestTimeout: 890_000,
        connectionTimeout: 5_000,
        httpsAgent: { maxSockets: 200 },
        httpAgent: { maxSockets: 200 },
      },
    }),
  ),
);
