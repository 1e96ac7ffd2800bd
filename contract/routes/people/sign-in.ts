import * as z from "zod";
import { defineRoute } from "../../route.ts";

const password = z.string().min(1).max(1000);
const credentials = z.object({ email: z.string().min(1).max(320), password });
const post = { method: "POST", fn: "people", auth: "none", status: 200 } as const;
const login = {
  ...post,
  access: "open",
  audits: "useCase",
  body: credentials,
  reply: { text: "A token, which is also set as the cookie `token`, or `__Host-token` over TLS." },
  errors: ["login.refused", "login.throttled", "login.otherSite", "login.noPasswords", "engine.busy"],
} as const;

const selfWrite = { domain: "users", verb: "write", need: "self", target: "none", personal: true } as const;

export const signInRoutes = {
  login: defineRoute({ ...login, name: "auth.login", summary: "Sign in with a password.", path: "/api/auth/login" }),
  usersLogin: defineRoute({ ...login, name: "auth.usersLogin", summary: "The same as /auth/login.", path: "/api/users/login" }),
  beginSession: defineRoute({
    ...post,
    auth: "token",
    name: "auth.beginSession",
    summary: "Store the token that is sent as the session of this browser.",
    path: "/api/auth/session",
    access: { domain: "users", verb: "read", need: "self", target: "none", personal: true },
    reply: { text: "A confirmation." },
    errors: ["token.notForJobs", "login.otherSite"],
  }),
  logout: defineRoute({
    ...post,
    name: "auth.logout",
    summary: "End the session of the token that is sent, and clear its cookie.",
    path: "/api/auth/logout",
    access: "open",
    audits: "nothing",
    reply: { text: "A confirmation." },
    errors: [],
  }),
  isPasswordLoginDisabled: defineRoute({
    method: "GET",
    fn: "people",
    auth: "none",
    status: 200,
    name: "auth.isPasswordLoginDisabled",
    summary: "Get whether sign-in with a password is turned off.",
    path: "/api/auth/is_password_login_disabled",
    access: "open",
    reply: { json: z.boolean() },
    errors: [],
  }),
  isSmtpConfigured: defineRoute({
    method: "GET",
    fn: "people",
    auth: "none",
    status: 200,
    name: "auth.isSmtpConfigured",
    summary: "Get whether this instance sends mail.",
    path: "/api/auth/is_smtp_configured",
    access: "open",
    reply: { json: z.boolean() },
    errors: [],
  }),
  refreshToken: defineRoute({
    method: "GET",
    fn: "people",
    auth: "token",
    status: 200,
    name: "users.refreshToken",
    summary: "Exchange the token of a session for a new one. The old token becomes invalid.",
    path: "/api/users/refresh_token",
    access: selfWrite,
    operation: "users.token.refresh",
    audits: { kind: "Updated", resource: { reply: "token" } },
    query: z.object({ if_expiring_in_less_than_s: z.coerce.number().int().min(0).optional() }),
    reply: { text: "The new token, or the old one if it is valid for longer than requested." },
    errors: ["token.notForJobs", "token.changedMeanwhile"],
  }),
  setPassword: defineRoute({
    ...post,
    auth: "token",
    name: "users.setPassword",
    summary: "Change your password. It takes the old one. All your other sessions end.",
    path: "/api/users/setpassword",
    access: selfWrite,
    operation: "users.setpassword",
    audits: { kind: "Updated", resource: "none" },
    body: z.object({ password, old_password: password.nullish() }),
    reply: { text: "A confirmation." },
    errors: [
      "engine.busy",
      "token.notForJobs",
      "token.tooWide",
      "user.oldPassword",
      "login.throttled",
      "user.invalidPassword",
      "login.noPasswords",
    ],
  }),
};
