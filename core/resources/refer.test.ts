import { describe, expect, it } from "vitest";
import type { Actor } from "../people/actor.ts";
import { escapeEventReferences, findReferenceLimit, mayRefer, mayStoreExpression } from "./refer.ts";

const holder = (scopes?: string[]): Actor => ({
  kind: "person",
  email: "ann@example.com",
  username: "ann",
  superAdmin: false,
  tokenHash: "",
  tokenPrefix: "",
  ...(scopes ? { scopes } : {}),
});

describe("references in the arguments of a run", () => {
  it.each<[string, Actor, boolean, boolean]>([
    ["a token without scopes may send both", holder(), true, true],
    ["a token that runs all code may send both", holder(["jobs:run"]), true, true],
    ["a token that runs code of the caller may send both", holder(["jobs:run:preview"]), true, true],
    ["a webhook token may send none", holder(["jobs:run:scripts:f/t/hello"]), false, false],
    ["a token that runs all scripts may send none", holder(["jobs:run:scripts"]), false, false],
    ["a token may send what its scopes read", holder(["jobs:run:flows:f/t/a", "variables:read"]), true, false],
    ["a token may send what its scopes read at the path", holder(["jobs:run:flows:f/t/a", "resources:read:f/t/*"]), false, true],
    ["the scope of another path does not count", holder(["jobs:run:flows:f/t/a", "resources:read:f/other/*"]), false, false],
  ])("%s", (_, actor, variable, resource) => {
    expect(mayRefer(actor, { kind: "var", path: "f/t/key" })).toBe(variable);
    expect(mayRefer(actor, { kind: "res", path: "f/t/db" })).toBe(resource);
  });

  it("an event keeps its text, and its body has no references", () => {
    const event = { kind: "webhook" as const, raw_string: '{"a":"$var:f/t/key"}', query: { b: "$res:f/t/db" }, headers: {} };
    const { body, query, raw_string } = escapeEventReferences(event as never) as Record<string, unknown>;
    expect([body, query, raw_string]).toEqual([{ a: "\\$var:f/t/key" }, { b: "\\$res:f/t/db" }, event.raw_string]);
  });
});

describe("references in arguments that an object stores", () => {
  const rights = { workspace: "w", role: "developer" as const, groups: [], folders: { t: "read" as const }, objects: {} };
  const admin = { ...rights, role: "admin" as const };
  it.each([
    ["f/t/key", rights, undefined, undefined, true],
    ["f/secret/key", rights, undefined, "user", true],
    ["f/secret/key", rights, ["variables:read"], "user", false],
    ["f/t/key", rights, ["schedules:write"], "token", false],
    ["f/secret/key", admin, ["variables:read:f/secret/*", "resources:read"], undefined, false],
    ["f/secret/key", admin, ["variables:read:f/t/*", "resources:read:f/t/*"], "token", false],
    ["f/secret/key", admin, ["variables:read", "resources:read"], undefined, true],
    ["f/secret/key", admin, ["jobs:run:preview"], undefined, true],
  ])(
    "to %s, of a user with %o and a token with %o: the limit is %s, and an expression is stored: %s",
    (path, of, scopes, limit, expression) => {
      const actor = { ...holder(scopes), rights: of } as Actor;
      expect(findReferenceLimit(actor, "w", { kind: "var", path })).toBe(limit);
      expect(mayStoreExpression(actor)).toBe(expression);
    },
  );
});
