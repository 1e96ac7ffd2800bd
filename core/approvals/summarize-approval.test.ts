import { describe, expect, it } from "vitest";
import type { Gate, GateEvent, OpenedGate } from "./gate.ts";
import type { GateRules } from "./rules.ts";
import { summarizeApproval } from "./summarize-approval.ts";

const value = { jobId: "gate", location: { in: "head", json: "{}" } } as const;
const rules: GateRules = { required: 2, people: ["g/finance", "u/ann"], signedIn: true, notStarter: true, personOnly: false };
const opened: OpenedGate = {
  kind: "suspend",
  rules,
  atMs: 1,
  result: value,
  outcomeFields: {},
  contentDigest: "content",
  codeDigest: "code",
  continuesDirectly: false,
};
const approval: GateEvent = { level: "step", countedBy: "person", approver: "ann", atMs: 2, payloadDigest: "a", payload: value };
const open: Pick<Gate, "opened" | "events" | "decision"> = { opened, events: [approval] };
const opened_at = "1970-01-01T00:00:00.001Z";
const mayDecide = { people: ["g/finance", "u/ann"], user_auth_required: true, self_approval_disabled: true };

describe("the summary of an approval", () => {
  it("names those who may decide to a reader of the run, and counts the missing approvals", () => {
    const reader = { flowEnded: false, namesApprovers: true };
    expect(summarizeApproval(open, reader)).toEqual({ state: "open", approvers: ["ann"], opened_at, missing: 1, may_decide: mayDecide });
  });

  it("does not name them to the holder of a link", () => {
    expect(summarizeApproval(open, { flowEnded: false, namesApprovers: false })).toEqual({
      state: "open",
      approvers: ["ann"],
      opened_at,
      missing: 1,
    });
  });

  it("names no deciders if the flow has ended without a decision", () => {
    expect(summarizeApproval(open, { flowEnded: true, namesApprovers: true })).toEqual({ state: "open", approvers: ["ann"], opened_at });
  });

  it.each<[string, Gate["decision"], string[]]>([
    ["those who have approved", { outcome: "approved", approver: "ann", atMs: 3 }, ["ann"]],
    ["the person who has rejected", { outcome: "rejected", approver: "bob", atMs: 3 }, ["bob"]],
    ["the holder of a link who has rejected", { outcome: "rejected", atMs: 3 }, ["anonymous"]],
    ["those who have approved before it expired", { outcome: "expired", atMs: 3 }, ["ann"]],
  ])("that was decided names %s", (_, decision, approvers) => {
    const reader = { flowEnded: false, namesApprovers: true };
    expect(summarizeApproval({ ...open, decision }, reader)).toEqual({
      state: decision?.outcome,
      approvers,
      opened_at,
      decided_at: "1970-01-01T00:00:00.003Z",
    });
  });

  it("does not exist before the step has requested an approval", () => {
    expect(summarizeApproval({ events: [approval] }, { flowEnded: false, namesApprovers: true })).toBeUndefined();
  });
});
