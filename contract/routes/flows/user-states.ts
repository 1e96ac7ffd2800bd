import * as z from "zod";
import { anyJson, atJob } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const base = "/api/w/{workspace}/jobs";
const atUserState = atJob.extend({ key: z.string().min(1).max(200) });

/** Values that a running flow stores under keys that it chooses. */
export const userStateRoutes = {
  setUserState: defineRoute({
    name: "jobs.setUserState",
    summary: "Store a value with a running flow under a key. Every user who may see the flow may see the value.",
    method: "POST",
    path: `${base}/flow/user_states/{id}/{key}`,
    access: { domain: "jobs", verb: "write", need: "run", target: "job" },
    audits: { kind: "Updated", resource: { param: "id" } },
    fn: "jobs",
    auth: "token",
    params: atUserState,
    body: anyJson,
    status: 200,
    reply: { text: "A confirmation." },
    errors: ["job.notFound", "job.ended", "body.tooLarge"],
  }),
  getUserState: defineRoute({
    name: "jobs.getUserState",
    summary: "Get a value that is stored with a flow, or null.",
    method: "GET",
    path: `${base}/flow/user_states/{id}/{key}`,
    access: { domain: "jobs", verb: "read", need: "read", target: "job" },
    fn: "jobs",
    auth: "token",
    params: atUserState,
    status: 200,
    reply: { json: anyJson },
    errors: ["job.notFound"],
  }),
};
