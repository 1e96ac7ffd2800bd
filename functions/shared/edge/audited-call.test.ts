import { describe, expect, it } from "vitest";
import type { z } from "zod";
import type { AuditRule, NamedByCall } from "../../../contract/access/audit-rule.ts";
import { defineRoute, type Route } from "../../../contract/route.ts";
import { routes } from "../../../contract/routes/routes.ts";
import { nameAuditedResource, text } from "../reply/reply.ts";
import { findAuditedResource, findResourceInReply } from "./audited-call.ts";
import { apiHandler } from "./edge.ts";

/** Both sides of an intersection have fields. */
const fieldsOf = (schema: z.ZodType | undefined): string[] => {
  const { shape, left, right } = (schema?.def ?? {}) as { shape?: object; left?: z.ZodType; right?: z.ZodType };
  return [...Object.keys(shape ?? {}), ...(left ? fieldsOf(left) : []), ...(right ? fieldsOf(right) : [])];
};
const valued = (schema: z.ZodType | undefined) => Object.fromEntries(fieldsOf(schema).map((field) => [field, field]));

/** A call of a route in which each value is its own name. */
const aCall = ({ params, query, body }: Route) => ({ params: valued(params), query: valued(query), body: valued(body) });

const audited = Object.values<Route>(routes).flatMap((route) =>
  typeof route.audits === "object" ? [{ ...route, audits: route.audits }] : [],
);
const names = (names: string[]) => audited.filter(({ params }) => fieldsOf(params).some((field) => names.includes(field)));

/** The part of a call that names the object, before the change. */
const namedBy = ({ resource }: AuditRule): NamedByCall | undefined =>
  resource === "none" ? undefined : "reply" in resource ? resource.before : resource;

describe("the resource of an entry in the audit log", () => {
  it.each(audited)("$name names its object by a field that its calls have", (route) => {
    const named = namedBy(route.audits);
    const found = findAuditedResource(route.audits.resource, aCall(route));
    if (!named) expect(found).toBeUndefined();
    else if ("text" in named) expect(found).toBe(named.text);
    else if ("tokenPrefix" in named) expect(found).toBe(named.tokenPrefix.slice(0, 10));
    else expect(Object.values(named)).toContain(found);
  });

  const withPath = audited.filter((route) => Object.values(aCall(route)).some((part) => "path" in part || "script_path" in part));
  it.each(withPath)("$name records the path", (route) => {
    expect(findAuditedResource(route.audits.resource, aCall(route))).toMatch(/^(script_)?path$/);
  });

  it.each(names(["hash", "version"]))("$name records the path of its version", ({ audits: { resource } }) => {
    if (findAuditedResource(resource, { params: { script_path: "f/a/b" } }) === "f/a/b") return;
    expect(findResourceInReply(resource, nameAuditedResource(text(200, ""), "f/a/b"))).toBe("f/a/b");
  });

  it.each(names(["token_prefix"]))("$name records the first characters of a token only", ({ audits: { resource } }) => {
    expect(findAuditedResource(resource, { params: { token_prefix: "0123456789secret" } })).toBe("0123456789");
  });

  const newTokens = audited.filter(({ reply }) => "text" in reply && /^(The|A) (new )?token/i.test(reply.text));
  it.each(newTokens)("$name records at most the first characters of the new token", ({ audits: { resource } }) => {
    expect(findResourceInReply(resource, text(201, "0123456789secret")) ?? "").not.toContain("secret");
  });

  it("a second field names the object if the body lacks the first one", () => {
    const resource = { body: "name", otherwise: "email" };
    expect(findAuditedResource(resource, { body: { email: "a@example.com" } })).toBe("a@example.com");
    expect(findAuditedResource(resource, { body: { email: "a@example.com", name: "ann" } })).toBe("ann");
  });

  it("a value that is neither a text nor a number is not recorded as a name", () => {
    expect(findAuditedResource({ param: "path" }, { params: { path: ["a"] } })).toBeUndefined();
    expect(findAuditedResource({ body: "path" }, { body: "path" })).toBeUndefined();
    expect(findAuditedResource({ query: "path" }, {})).toBeUndefined();
    expect(findAuditedResource({ param: "version" }, { params: { version: 3 } })).toBe("3");
  });
});

const changing = {
  name: "toys.create",
  summary: "Create a toy.",
  method: "POST",
  path: "/api/toys",
  fn: "people",
  status: 200,
  reply: { text: "A confirmation." },
  errors: [],
} as const;
const access = { domain: "workspaces", verb: "write", need: "self", target: "none" } as const;

describe("a route that changes something", () => {
  it("does not compile without its record in the audit log", () => {
    // @ts-expect-error -- `audits` is missing.
    defineRoute({ ...changing, auth: "token", access });
    // @ts-expect-error -- `audits` is missing.
    defineRoute({ ...changing, auth: "none", access: "open" });
    // @ts-expect-error -- A call that reads has no record.
    defineRoute({ ...changing, auth: "token", access: { ...access, verb: "read" }, audits: { kind: "Created", resource: "none" } });
    expect(audited.length).toBeGreaterThan(100);
  });

  it("is refused by a function that writes no audit log", () => {
    const route = defineRoute({ ...changing, auth: "token", access, audits: { kind: "Created", resource: "none" } });
    expect(() => apiHandler([{ route, handle: async () => text(200, "") }], async () => undefined)).toThrow("writes no audit log");
  });
});
