import type { Answers, NoDetails } from "./answer.ts";

/** Errors of requests to HTTP routes. Strangers read their sentences, which therefore contain no path, user or reason. */
export interface HttpRouteErrors {
  "httpRoute.unknown": NoDetails;
  "httpRoute.notRunnable": NoDetails;
  "httpRoute.refused": NoDetails;
  "httpRoute.keysUnavailable": { retryAfterS: number };
}

export const httpRouteAnswers: Answers<HttpRouteErrors> = {
  "httpRoute.unknown": { status: 404, describe: () => "There is no route with this address." },
  "httpRoute.notRunnable": { status: 404, describe: () => "The script or flow of this route does not exist." },
  "httpRoute.refused": { status: 401, describe: () => "The credentials of this request are missing or invalid." },
  "httpRoute.keysUnavailable": {
    status: 503,
    describe: ({ retryAfterS }) => `The keys that check this request's token cannot be read. Try again in ${retryAfterS} seconds.`,
  },
};
