import { createHttpRouteHandler } from "./answer-request.ts";
import { deps } from "./deps.ts";

/** Answers every request below `/api/r/`. On AWS `handler.ts` streams its replies, locally the front server does. */
export const answer = createHttpRouteHandler(deps);
