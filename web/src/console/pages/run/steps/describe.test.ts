import { describe, expect, it } from "vitest";
import { describeStep } from "./describe.ts";
import type { Step } from "./outline.ts";

type Approval = NonNullable<Step["approval"]>;
type Stated = Omit<Approval, "opened_at"> & Partial<Pick<Approval, "opened_at">>;
type Rules = NonNullable<Approval["may_decide"]>;

const opened_at = "2026-01-01T00:00:00.000Z";
const facts = (approval: Stated) =>
  describeStep({ path: "ask", module: "ask", kind: "identity", state: "succeeded", attempts: 1, approval: { opened_at, ...approval } }, 0);
const open = (rules: Partial<Rules>, more: Partial<Approval> = {}) =>
  facts({
    state: "open",
    approvers: [],
    missing: 1,
    may_decide: { user_auth_required: false, self_approval_disabled: false, ...rules },
    ...more,
  });

describe("the approval of a step", () => {
  it.each<[string, Partial<Rules>, string[]]>([
    ["everyone with a link", {}, ["may decide: everyone with a link, people who may cancel the run"]],
    [
      "only members who sign in",
      { user_auth_required: true, self_approval_disabled: true },
      ["may decide: signed-in members with a link, people who may cancel the run", "not the person who started it"],
    ],
    [
      "groups, users, administrators and addresses",
      { people: ["g/finance", "u/ann", "role:admin", "cfo@example.com"], user_auth_required: true },
      ["may decide: the group finance, ann, administrators of the workspace, cfo@example.com"],
    ],
    ["many people", { people: "abcdefg".split("").map((name) => `u/${name}`) }, ["may decide: a, b, c, d, e, 2 more"]],
  ])("that waits names %s", (_, rules, expected) => {
    expect(open(rules)).toEqual(["Waiting for approval", "1 approval is missing", ...expected]);
  });

  it("that waits names those who have approved, and the number of missing approvals", () => {
    expect(open({}, { approvers: ["ann"], missing: 2 }).slice(0, 3)).toEqual([
      "Waiting for approval",
      "approved by ann",
      "2 approvals are missing",
    ]);
  });

  it("that was decided names its approver alone", () => {
    expect(facts({ state: "rejected", approvers: ["bob"] })).toEqual(["Rejected", "by bob"]);
  });
});
