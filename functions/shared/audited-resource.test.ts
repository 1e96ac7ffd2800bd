import { describe, expect, it } from "vitest";
import type { z } from "zod";
import type { Route } from "../../contract/route.ts";
import { routes } from "../../contract/routes/routes.ts";
import { findAuditedResource, fixedResources, nameAuditedResource, resourceInReply } from "./audited-resource.ts";
import { text } from "./reply.ts";

const keysOf = (schema: z.ZodType | undefined) => Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
const named = (schema: z.ZodType | undefined) => Object.fromEntries(keysOf(schema).map((key) => [key, key]));

/** A call of a route in which each value is its own name. */
const aCall = ({ params, query, body }: Route) => ({
  params: { ...named(params), workspace: undefined },
  query: named(query),
  body: named(body),
});

const changes = (Object.values(routes) as Route[]).filter(({ auth, access }) => auth === "token" && access.verb === "write");

describe("the resource of an entry in the audit log", () => {
  const withPath = changes.filter(({ params, query, body }) =>
    [params, query, body].some((schema) => keysOf(schema).some((key) => key === "path" || key === "script_path")),
  );
  it.each(withPath.map((route) => [route.name, route] as const))("%s records the path", (_, route) => {
    expect(findAuditedResource(aCall(route))).toMatch(/^(script_)?path$/);
  });

  const byVersion = changes.filter(({ params }) => keysOf(params).some((key) => key === "hash" || key === "version"));
  it.each(byVersion.map((route) => [route.name, route] as const))("%s records the path of its version", (name, route) => {
    const found = findAuditedResource(aCall(route));
    if (found !== "script_path") expect(resourceInReply[name]?.(nameAuditedResource(text(200, ""), "f/a/b"))).toBe("f/a/b");
  });

  const byToken = changes.filter(({ params }) => keysOf(params).includes("token_prefix"));
  it.each(byToken.map((route) => [route.name, route] as const))("%s records the first characters of a token", (_, route) => {
    const call = aCall(route);
    expect(findAuditedResource({ ...call, params: { ...call.params, token_prefix: "0123456789secret" } })).toBe("0123456789");
  });

  it.each(Object.keys(fixedResources))("%s is a change whose body names no object", (name) => {
    const route = changes.find((change) => change.name === name);
    expect(route && findAuditedResource(aCall(route))).toBeUndefined();
    expect(route?.name).toBe(name);
  });

  it("a value that is neither a text nor a number is no name", () => {
    expect(findAuditedResource({ params: { path: ["a"] }, query: null, body: "path" })).toBeUndefined();
    expect(findAuditedResource({ params: { version: 3 } })).toBe("3");
  });
});
