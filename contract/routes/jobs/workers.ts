import * as z from "zod";
import { jsonObject, page } from "../../common.ts";
import { defineRoute } from "../../route.ts";

export const workerRoutes = {
  listWorkers: defineRoute({
    method: "GET",
    auth: "token",
    status: 200,
    // The answer is constant. A separate function for this address would need further resources of the REST API.
    fn: "people",
    name: "jobs.listWorkers",
    summary: "List the worker processes: none, because functions run the jobs.",
    path: "/api/workers/list",
    access: { domain: "jobs", verb: "read", need: "self", target: "none" },
    query: z.object({ ping_since: z.string().max(50).optional(), ...page }),
    reply: { json: z.array(jsonObject) },
    errors: [],
  }),
  dbClock: defineRoute({
    method: "GET",
    auth: "token",
    status: 200,
    // The same applies to its address.
    fn: "people",
    name: "jobs.dbClock",
    summary: "Get the time of the service in epoch milliseconds.",
    path: "/api/jobs/db_clock",
    access: { domain: "jobs", verb: "read", need: "self", target: "none" },
    reply: { json: z.number() },
    errors: [],
  }),
};
