import { describe, expect, it } from "vitest";
import { markOf, targetOf, toScopes } from "./token.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

it.each([
  ["none", undefined, undefined],
  ["none", "2026-06-01T00:00:00Z", undefined],
  ["soon", "2026-01-30T23:59:00Z", { tone: "amber", text: "Expires in 30 days" }],
  ["critical", "2026-01-07T23:59:00Z", { tone: "red", text: "Expires in 7 days" }],
  ["critical", "2026-01-01T01:00:00Z", { tone: "red", text: "Expires in 1 day" }],
  ["critical", "2025-12-31T23:59:00Z", { tone: "red", text: "Expired" }],
  ["expired", "2025-12-31T23:59:00Z", { tone: "red", text: "Expired" }],
] as const)("a token with the badge %s that expires at %s is marked by %j", (badge, expiration, mark) => {
  expect(markOf({ badge, expiration }, NOW)).toEqual(mark);
});

describe("the target of a token", () => {
  it.each([
    [["jobs:run:scripts:f/ops/hello"], { kind: "scripts", path: "f/ops/hello" }],
    [["jobs:run:flows:u/ann/report"], { kind: "flows", path: "u/ann/report" }],
    [["jobs:run:scripts:f/ops/*"], undefined],
    [["jobs:run:scripts"], undefined],
    [["jobs:run:scripts:f/ops/hello", "jobs:read"], undefined],
    [["scripts:read:f/ops/hello"], undefined],
    [undefined, undefined],
  ])("with the scopes %j is %j", (scopes, target) => {
    expect(targetOf(scopes)).toEqual(target);
  });
});

it("chosen scopes are limited to the typed paths", () => {
  expect(toScopes([], { "jobs:read": "f/ops/*" })).toBeUndefined();
  expect(toScopes(["jobs:read", "scripts:read"], { "scripts:read": " f/ops/a\nf/ops/b,u/ann/* " })).toEqual([
    "jobs:read",
    "scripts:read:f/ops/a",
    "scripts:read:f/ops/b",
    "scripts:read:u/ann/*",
  ]);
});
