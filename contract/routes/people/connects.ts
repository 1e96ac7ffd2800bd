import * as z from "zod";
import { defineRoute } from "../../route.ts";

const read = { method: "GET", fn: "people", auth: "token", status: 200 } as const;
const atClient = z.object({ client: z.string().min(1).max(100) });
/** The query with which the other service redirects the browser back. `iss` is ignored, because a client has one URL for its tokens. */
const returned = { code: z.string().max(4096), state: z.string().max(1000), iss: z.string().max(1000) };
const selfRead = { domain: "users", verb: "read", need: "self", target: "none", personal: true } as const;
const selfWrite = { domain: "users", verb: "write", need: "self", target: "none", personal: true } as const;
const errors = ["connect.unknown", "connect.notBegun", "connect.notConfirmed", "connect.unreachable"] as const;
const connected = {
  expires_in: z.number().optional().describe("Seconds."),
  refresh_token: z.string().describe("For oauth/create_account, within ten minutes. It is sealed: the other service does not accept it."),
  scope: z.array(z.string()).optional(),
};

export const connectRoutes = {
  listConnects: defineRoute({
    ...read,
    name: "oauth.listConnects",
    summary: "List the services at which users can connect accounts.",
    path: "/api/oauth/list_connects",
    access: selfRead,
    reply: { json: z.array(z.string()) },
    errors: [],
  }),
  getConnect: defineRoute({
    ...read,
    name: "oauth.getConnect",
    summary: "Get the scopes and the extra parameters of a service at which users can connect accounts.",
    path: "/api/oauth/get_connect/{client}",
    access: selfRead,
    params: atClient,
    reply: { json: z.object({ scopes: z.array(z.string()), extra_params: z.record(z.string(), z.string()).optional() }) },
    errors: ["connect.unknown"],
  }),
  beginConnect: defineRoute({
    ...read,
    name: "oauth.connect",
    summary: "Connect an account of another service. Open this URL in a browser in which you are signed in.",
    path: "/api/oauth/connect/{client}",
    access: selfRead,
    params: atClient,
    query: z.object({ scopes: z.string().max(4000).optional().describe("Divided by spaces. Default: those of the client.") }),
    status: 303,
    reply: { text: "Redirects to the other service." },
    errors: ["connect.unknown"],
  }),
  completeConnect: defineRoute({
    ...read,
    method: "POST",
    name: "oauth.connectCallback",
    summary: "Exchange the response of the other service for tokens, in the browser and as the user that began the connection.",
    path: "/api/oauth/connect_callback/{client}",
    access: selfWrite,
    audits: { kind: "Updated", resource: { param: "client" } },
    params: atClient,
    body: z.object(returned).partial(),
    reply: { json: z.object({ access_token: z.string(), ...connected }) },
    errors,
  }),
  returnFromConnect: defineRoute({
    ...read,
    auth: "none",
    name: "oauth.connectReturn",
    summary: "The redirect URL for the other service. Its response contains no token of that service in clear text.",
    path: "/api/oauth/connect_callback/{client}",
    access: "open",
    params: atClient,
    query: z.object({ ...returned, error: z.string().max(200) }).partial(),
    reply: { json: z.object({ client: z.string(), ...connected }) },
    errors,
  }),
};
