import * as z from "zod";
import { defineRoute } from "../../route.ts";

const open = { fn: "api", auth: "none" } as const;
const atLogin = z.object({ client: z.string().min(1).max(100) });
/** What a provider sends a browser back with. `iss` is its address, where it says so (RFC 9207). */
const returned = { code: z.string().max(4096), state: z.string().max(1000), iss: z.string().max(1000) };
/** Of this origin, and nothing else: who signs in is led to no stranger's page. */
const approvalPage = z
  .string()
  .max(1000)
  .regex(/^\/approve\/[\w%./?=&+~:@!$'()*,;-]+$/);
const errors = ["login.unknown", "login.notBegun", "login.notConfirmed", "login.unverified", "login.denied", "login.unreachable"] as const;

export const oauthRoutes = {
  listLogins: defineRoute({
    ...open,
    method: "GET",
    name: "oauth.listLogins",
    summary: "Where else one can sign in from.",
    path: "/api/oauth/list_logins",
    status: 200,
    reply: { json: z.object({ oauth: z.array(z.object({ type: z.string(), display_name: z.string().optional() })) }) },
    errors: [],
  }),
  beginLogin: defineRoute({
    ...open,
    method: "GET",
    name: "oauth.login",
    summary: "Sign in with an account of somebody else's: open it in a browser.",
    path: "/api/oauth/login/{client}",
    params: atLogin,
    query: z.object({ return_to: approvalPage.optional().describe("The approval page to come back to, signed in.") }),
    status: 303,
    reply: { text: "Leads to the provider." },
    errors: ["login.unknown", "login.unreachable"],
  }),
  completeLogin: defineRoute({
    ...open,
    method: "POST",
    name: "oauth.loginCallback",
    summary: "Exchange what the provider has answered, in the browser that began, for a session.",
    path: "/api/oauth/login_callback/{client}",
    params: atLogin,
    body: z.object(returned).partial(),
    status: 200,
    reply: { text: "A token, which the cookie `token` holds as well." },
    errors,
  }),
  returnFromLogin: defineRoute({
    ...open,
    method: "GET",
    name: "oauth.loginReturn",
    summary: "Where the provider sends the browser back to: the same, without the token in the answer.",
    path: "/api/oauth/login_callback/{client}",
    params: atLogin,
    query: z.object({ ...returned, error: z.string().max(200) }).partial(),
    status: 303,
    reply: { text: "Leads to the page where it began, or to the start page, signed in." },
    errors,
  }),
};
