import { describe, expect, it } from "vitest";
import { defined } from "../../contract/defined.ts";
import { describeUnknownPrincipals, dropReplacedPrincipals } from "./principals.ts";
import type { GateRules } from "./rules.ts";
import { readRequiredGroups } from "./rules.ts";

const aRule = (fields: Partial<GateRules>): GateRules => ({ required: 1, signedIn: true, notStarter: false, personOnly: false, ...fields });

describe("readRequiredGroups", () => {
  const computed = { user_groups_required: { type: "javascript" as const, expr: "x" } };
  const fixed = (value: unknown, user_auth_required?: boolean) => ({
    user_groups_required: { type: "static" as const, value },
    ...defined({ user_auth_required }),
  });

  it.each([[null], [undefined], [[]], [7], ["ops"], [{ ops: true }], [["ops", 7]], [["ops", null]], [[""]], [["g/"]]])(
    "refuses the computed and the fixed value %j",
    (value) => {
      expect(readRequiredGroups(computed, value)).toEqual({ problem: expect.stringContaining("at least one group") });
      expect(readRequiredGroups({ ...computed, user_auth_required: true }, value)).toHaveProperty("problem");
      expect(readRequiredGroups(fixed(value), value)).toHaveProperty("problem");
    },
  );

  it("accepts lists of names, and an empty fixed list only where approvers must sign in", () => {
    expect(readRequiredGroups(computed, ["ops", "g/dev"])).toEqual({ groups: ["ops", "g/dev"] });
    expect(readRequiredGroups({}, undefined)).toEqual({ groups: [] });
    expect(readRequiredGroups(fixed([], true), [])).toEqual({ groups: [] });
    expect(readRequiredGroups(fixed(undefined, true), undefined)).toEqual({ groups: [] });
    expect(readRequiredGroups(fixed("ops", true), "ops")).toHaveProperty("problem");
  });
});

describe("dropReplacedPrincipals", () => {
  const rules = aRule({ people: ["g/ops", "u/ann"], identities: { "g/ops": "1", "u/ann": "a" } });

  it.each([
    [{ "g/ops": "1", "u/ann": "a" }, ["g/ops", "u/ann"]],
    [{ "g/ops": "2", "u/ann": "a" }, ["u/ann"]],
    [{ "g/ops": "1", "u/ann": "b" }, ["g/ops"]],
    [{}, []],
  ])("retains only the approvers that are the same in %j", (current, people) => {
    expect(dropReplacedPrincipals(rules, current).people).toEqual(people);
  });

  it("never turns a rule into one without approvers' names, which every holder of a link could satisfy", () => {
    expect(dropReplacedPrincipals(rules, {})).toHaveProperty("people", []);
    expect(dropReplacedPrincipals(aRule({ people: ["g/constructor"], identities: {} }), {})).toHaveProperty("people", []);
  });
});

describe("describeUnknownPrincipals", () => {
  it("names the approvers that do not exist, whatever their names", () => {
    expect(describeUnknownPrincipals(["g/a", "g/b"], { "g/a": "", "g/b": "" })).toBeUndefined();
    expect(describeUnknownPrincipals(["g/a", "constructor"], { "g/a": "" })).toContain("constructor");
  });
});
