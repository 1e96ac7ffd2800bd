import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AccessRule } from "../../contract/access/access-rule.ts";
import { namesRunOf, parseScope, scopeList, scopesAllow } from "./scopes.ts";

type Call = Pick<AccessRule, "domain" | "verb" | "runs">;
const read: Call = { domain: "scripts", verb: "read" };
const write: Call = { domain: "scripts", verb: "write" };
const runScript: Call = { domain: "jobs", verb: "run", runs: "scripts" };
const runFlow: Call = { domain: "jobs", verb: "run", runs: "flows" };
const runCode: Call = { domain: "jobs", verb: "run", runs: "preview" };
const runAny: Call = { domain: "jobs", verb: "run" };
const readJob: Call = { domain: "jobs", verb: "read" };
const manageUsers: Call = { domain: "users", verb: "write" };

describe("the text of a scope", () => {
  it.each<[text: string, value: string | undefined, path?: string]>([
    ["scripts:read", "scripts:read"],
    ["scripts:read:f/ops/pay", "scripts:read", "f/ops/pay"],
    ["scripts:read:u/ann/pay.v2", "scripts:read", "u/ann/pay.v2"],
    ["scripts:write:f/ops/*", "scripts:write", "f/ops/*"],
    ["scripts:write:f/*", "scripts:write", "f/*"],
    ["scripts:write:*", "scripts:write", "*"],
    ["jobs:run", "jobs:run"],
    ["jobs:run:scripts:f/ops/pay", "jobs:run:scripts", "f/ops/pay"],
    ["jobs:run:preview", "jobs:run:preview"],
    ["oidc:write", "oidc:write"],
    // Nothing else is a scope.
    ["", undefined],
    ["*", undefined],
    ["scripts", undefined],
    ["scripts:", undefined],
    ["scripts:run", undefined],
    ["SCRIPTS:read", undefined],
    [" scripts:read", undefined],
    ["tokens:read", undefined],
    ["scripts:read:", undefined],
    ["scripts:read:ops/pay", undefined],
    ["scripts:read:g/ops/pay", undefined],
    ["scripts:read:f/ops/../pay", undefined],
    ["scripts:read:f/ops/*/pay", undefined],
    ["scripts:read:f/ops/pay:x", undefined],
    ["scripts:read:f/ops/pay\n", undefined],
    ["users:read:f/ops/pay", undefined],
    ["jobs:run:preview:f/ops/pay", undefined],
    ["jobs:run:f/ops/pay", undefined],
  ])("%j has the value %j and the path %j", (text, value, path) => {
    expect(parseScope(text)).toEqual(value === undefined ? undefined : { value, path });
  });

  it("has each value of the list once", () => {
    const values = scopeList.flatMap(({ scopes }) => scopes.map((scope) => scope.value));
    expect(new Set(values).size).toBe(values.length);
    expect(values.every((value) => parseScope(value)?.path === undefined)).toBe(true);
  });
});

/** The calls that each scope allows; `later`: whether the handler checks the path of each object itself. */
const table: [scope: string, call: Call, path: string | undefined, later: boolean, allowed: boolean][] = [
  ["scripts:read", read, "f/ops/pay", false, true],
  ["scripts:read", write, "f/ops/pay", false, false],
  ["scripts:write", write, "f/ops/pay", false, true],
  ["scripts:write", read, "f/ops/pay", false, true],
  ["flows:write", read, "f/ops/pay", false, false],
  // A path limits the scope to it.
  ["scripts:read:f/ops/pay", read, "f/ops/pay", false, true],
  ["scripts:read:f/ops/pay", read, "f/ops/pay2", false, false],
  ["scripts:read:f/ops/pay", read, "f/ops/pay/more", false, false],
  ["scripts:read:f/ops/pay", read, "f/ops", false, false],
  ["scripts:read:f/ops/*", read, "f/ops/pay", false, true],
  ["scripts:read:f/ops/*", read, "f/ops/deep/pay", false, true],
  ["scripts:read:f/ops/*", read, "f/ops2/pay", false, false],
  ["scripts:read:f/ops/*", read, "f/ops", false, false],
  ["scripts:read:f/*", read, "u/ann/pay", false, false],
  ["scripts:read:*", read, "u/ann/pay", false, true],
  // Without a path in the call, a limited scope suffices only where the handler checks each object.
  ["scripts:read", read, undefined, false, true],
  ["scripts:read:f/ops/pay", read, undefined, false, false],
  ["scripts:read:*", read, undefined, false, false],
  ["scripts:read:f/ops/pay", read, undefined, true, true],
  ["scripts:read:f/ops/pay", write, undefined, true, false],
  // Runs.
  ["jobs:run", runScript, "f/ops/pay", false, true],
  ["jobs:run", runFlow, "f/ops/pay", false, true],
  ["jobs:run", runCode, undefined, false, true],
  ["jobs:run", runAny, undefined, false, true],
  ["jobs:run:scripts", runScript, "f/ops/pay", false, true],
  ["jobs:run:scripts", runFlow, "f/ops/pay", false, false],
  ["jobs:run:scripts", runCode, undefined, false, false],
  ["jobs:run:scripts", runAny, undefined, false, false],
  ["jobs:run:scripts:f/ops/pay", runScript, "f/ops/pay", false, true],
  ["jobs:run:scripts:f/ops/pay", runScript, "f/ops/other", false, false],
  ["jobs:run:flows:f/ops/pay", runScript, "f/ops/pay", false, false],
  ["jobs:run:preview", runCode, undefined, false, true],
  ["jobs:run:preview", runScript, "f/ops/pay", false, false],
  ["jobs:run", readJob, undefined, false, false],
  ["jobs:write", runScript, "f/ops/pay", false, false],
  ["jobs:read", readJob, undefined, false, true],
  ["users:write", manageUsers, undefined, false, true],
  ["workspaces:write", manageUsers, undefined, false, false],
  // An unknown scope allows nothing.
  ["*", read, "f/ops/pay", false, false],
  ["scripts:*", read, "f/ops/pay", false, false],
  ["scripts:read:ops/pay", read, "ops/pay", false, false],
];

describe("a scope", () => {
  it.each(table.map(([scope, call, path, later, allowed]) => ({ scope, call, path, later, allowed })))(
    "$scope allows $call.verb of $call.domain $call.runs at $path, checked later $later: $allowed",
    ({ scope, call, path, later, allowed }) => {
      expect(scopesAllow([scope], call, path, later)).toBe(allowed);
    },
  );

  it.each<[scope: string, runs: "scripts" | "flows", path: string, names: boolean]>([
    ["jobs:run:scripts:f/ops/pay", "scripts", "f/ops/pay", true],
    ["jobs:run:scripts:f/ops/*", "scripts", "f/ops/pay", true],
    ["jobs:run:scripts:f/ops/pay", "scripts", "f/ops/other", false],
    ["jobs:run:scripts:f/ops/pay", "flows", "f/ops/pay", false],
    // These allow the run, but name no path.
    ["jobs:run:scripts", "scripts", "f/ops/pay", false],
    ["jobs:run", "scripts", "f/ops/pay", false],
    ["scripts:read:f/ops/pay", "scripts", "f/ops/pay", false],
  ])("%s names the run of the %s at %s: %s", (scope, runs, path, names) => {
    expect(namesRunOf(scope, runs, path)).toBe(names);
  });

  it("allows nothing more because of another one that does not allow the call", () => {
    const scopes = fc.subarray(table.map(([scope]) => scope));
    fc.assert(
      fc.property(scopes, fc.constantFrom(...table), (held, [, call, path, later]) => {
        const each = held.map((scope) => scopesAllow([scope], call, path, later));
        expect(scopesAllow(held, call, path, later)).toBe(each.includes(true));
      }),
    );
  });
});
