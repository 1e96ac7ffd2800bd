import { afterEach, describe, expect, it, vi } from "vitest";
import { env } from "../../../contract/env.ts";
import type { Route } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { loginCookie, readLoginCookie, readToken, sessionCookie } from "./credentials.ts";

const OWN = "https://svc.example.com";
const FOREIGN = "https://evil.example";
const bases = [OWN, "http://127.0.0.1:8000"] as const;
afterEach(() => vi.unstubAllEnvs());

const sites = [undefined, "same-origin", "same-site", "cross-site", "none"] as const;
const origins = [undefined, "own", FOREIGN, "null"] as const;

type Request = { site: (typeof sites)[number]; origin: string | undefined };
const headersOf = ({ site, origin }: Request) => ({ ...(site ? { "sec-fetch-site": site } : {}), ...(origin ? { origin } : {}) });

/** An independent version of the rule: whether a request with these headers comes from a page of the service or from a program. */
const isOwn = ({ site, origin }: Request, base: string) =>
  site === undefined ? origin === undefined || origin === base : site === "same-origin";
/** Whether the route starts or changes something. */
const changes = ({ method, access }: Route) => method !== "GET" || (typeof access === "object" && access.verb !== "read");

const requests = (base: string): Request[] =>
  sites.flatMap((site) => origins.map((origin) => ({ site, origin: origin === "own" ? base : origin })));

describe("the credentials of a request, for every route, Sec-Fetch-Site and Origin", () => {
  it.each(bases)("the session cookie counts only where our own pages and programs send it, at %s", (base) => {
    vi.stubEnv(env.baseUrl, base);
    const wrong: string[] = [];
    let accepted = 0;
    for (const route of Object.values<Route>(routes)) {
      for (const request of requests(base)) {
        const cookie = sessionCookie("secret", 60).split(";")[0] ?? "";
        const token = readToken({ headers: { ...headersOf(request), cookie }, queryStringParameters: null }, route);
        const mayCount =
          (isOwn(request, base) || (request.site === "none" && !changes(route))) && !(route.method === "GET" && route.payload);
        accepted += token === undefined ? 0 : 1;
        if ((token === "secret") !== mayCount) wrong.push(`${route.name} ${JSON.stringify(request)}: ${token}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(accepted).toBeGreaterThan(500);
  });

  it("no request of another site that starts or changes something is authenticated by the cookie", () => {
    vi.stubEnv(env.baseUrl, OWN);
    const cookie = sessionCookie("secret", 60).split(";")[0] ?? "";
    const starting = Object.values<Route>(routes).filter((route) => changes(route) || route.payload);
    const foreign = requests(OWN).filter(
      ({ site, origin }) => !["same-origin", undefined].includes(site) || (!site && origin && origin !== OWN),
    );
    const found = starting.flatMap((route) =>
      foreign.flatMap((request) => readToken({ headers: { ...headersOf(request), cookie }, queryStringParameters: null }, route) ?? []),
    );
    expect(starting.length).toBeGreaterThan(100);
    expect(foreign.length).toBeGreaterThan(10);
    expect(found).toEqual([]);
  });

  it("a token in the header or the query counts on every route and from every site", () => {
    vi.stubEnv(env.baseUrl, OWN);
    for (const route of Object.values<Route>(routes)) {
      for (const request of requests(OWN)) {
        const headers = headersOf(request);
        expect(readToken({ headers: { ...headers, authorization: "Bearer t" }, queryStringParameters: { token: "q" } }, route)).toBe("t");
        expect(readToken({ headers, queryStringParameters: { token: "q" } }, route)).toBe("q");
      }
    }
  });
});

describe("an empty cookie", () => {
  it("the empty cookie that remains after sign-out is not a token, and the query counts", () => {
    const headers = { cookie: "token=" };
    const route = Object.values<Route>(routes).find(({ name }) => name === "approvals.suspendedFlow") as Route;
    expect(readToken({ headers, queryStringParameters: null }, route)).toBeUndefined();
    expect(readToken({ headers, queryStringParameters: { token: "secret" } }, route)).toBe("secret");
  });
});

describe("the names of cookies", () => {
  const read = (headers: Record<string, string>) => readToken({ headers, queryStringParameters: null }, routes.logout);

  it("over TLS the session cookie has the prefix __Host-, and a cookie that another host may have set does not count", () => {
    vi.stubEnv(env.baseUrl, OWN);
    expect(sessionCookie("t", 60)).toBe("__Host-token=t; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure");
    expect(read({ cookie: "token=planted; __Host-token=t", "sec-fetch-site": "same-origin" })).toBe("t");
    expect(read({ cookie: "token=planted", "sec-fetch-site": "same-origin" })).toBeUndefined();
    expect(read({ cookie: "token=planted", origin: OWN })).toBeUndefined();
    // Programs name the cookie as in api.md §1.
    expect(read({ cookie: "token=program" })).toBe("program");
    expect(loginCookie("v", 60)).toMatch(/^__Host-svc_login=v; Path=\/; .*; Secure$/);
    expect(readLoginCookie({ cookie: "svc_login=planted; __Host-svc_login=v" })).toBe("v");
  });

  it("without TLS the names have no prefix, because browsers would not store them", () => {
    vi.stubEnv(env.baseUrl, "http://127.0.0.1:8000");
    expect(sessionCookie("t", 60)).toBe("token=t; Path=/; HttpOnly; SameSite=Lax; Max-Age=60");
    expect(read({ cookie: "__Host-token=other; token=t", "sec-fetch-site": "same-origin" })).toBe("t");
    expect(readLoginCookie({ cookie: loginCookie("v", 60) })).toBe("v");
  });
});
