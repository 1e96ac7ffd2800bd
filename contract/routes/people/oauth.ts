import * as z from "zod";
import { defineRoute } from "../../route.ts";

const open = { fn: "people", auth: "none" } as const;
const atLogin = z.object({ client: z.string().min(1).max(100) });
/** The query with which a provider redirects the browser back. `iss` is the provider's URL, if it sends it (RFC 9207). */
const returned = { code: z.string().max(4096), state: z.string().max(1000), iss: z.string().max(1000) };
/** A path on this origin only, so that sign-in never redirects to another site. */
const pageWithSignIn = z
  .string()
  .max(1000)
  .regex(/^\/(approve\/[\w%./?=&+~:@!$'()*,;-]+|device(\?user_code=[\w%+-]{0,100})?)$/);
const errors = ["login.unknown", "login.notBegun", "login.notConfirmed", "login.unverified", "login.denied", "login.unreachable"] as const;

export const oauthRoutes = {
  listLogins: defineRoute({
    ...open,
    method: "GET",
    name: "oauth.listLogins",
    summary: "List the external identity providers for sign-in.",
    path: "/api/oauth/list_logins",
    access: "open",
    status: 200,
    reply: { json: z.object({ oauth: z.array(z.object({ type: z.string(), display_name: z.string().optional() })) }) },
    errors: [],
  }),
  beginLogin: defineRoute({
    ...open,
    method: "GET",
    name: "oauth.login",
    summary: "Sign in with an external identity provider. Open this URL in a browser.",
    path: "/api/oauth/login/{client}",
    access: "open",
    params: atLogin,
    query: z.object({
      return_to: pageWithSignIn.optional().describe("The approval page, or the page /device, to return to after sign-in."),
    }),
    status: 303,
    reply: { text: "Redirects to the provider." },
    errors: ["login.unknown", "login.unreachable"],
  }),
  completeLogin: defineRoute({
    ...open,
    method: "POST",
    name: "oauth.loginCallback",
    summary: "Exchange the provider's response for a session, in the browser that started the sign-in.",
    path: "/api/oauth/login_callback/{client}",
    access: "open",
    audits: "useCase",
    params: atLogin,
    body: z.object(returned).partial(),
    status: 200,
    reply: { text: "A token, which is also set as the cookie `token`." },
    errors: [...errors, "login.otherSite"],
  }),
  returnFromLogin: defineRoute({
    ...open,
    method: "GET",
    name: "oauth.loginReturn",
    summary: "The redirect URL for the provider. It creates the session but does not return the token in the body.",
    path: "/api/oauth/login_callback/{client}",
    access: "open",
    params: atLogin,
    query: z.object({ ...returned, error: z.string().max(200) }).partial(),
    status: 303,
    reply: { text: "Redirects to the page where the sign-in started, or to the start page." },
    errors,
  }),
};
