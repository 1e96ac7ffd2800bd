import { describe, expect, it } from "vitest";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import {
  awaitToken,
  countMissingApprovals,
  createGate,
  type Decision,
  escalateGate,
  expireGate,
  type Gate,
  type GateEvent,
  gateDueAtMs,
  isTaskTokenLost,
  listApproverNames,
  markGateOpen,
  type OpenedGate,
  recordApproval,
  recordRejection,
  remindApprovers,
  removeEvents,
  setTaskToken,
  toGateError,
} from "./gate.ts";
import { type GateRules, isReasonMissing, toConsentRules, toSuspendRules } from "./rules.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const value = { jobId: "gate", location: { in: "head", json: "{}" } } as const;

interface Rules {
  required?: number;
  signedIn?: boolean;
  kind?: OpenedGate["kind"];
  people?: string[];
  deadlineMs?: number;
  remindAtMs?: number;
  escalate?: OpenedGate["escalate"];
}
const opened = ({ required = 1, signedIn = false, kind = "suspend", people, ...times }: Rules = {}): OpenedGate => ({
  kind,
  rules: { required, signedIn, notStarter: false, personOnly: false, ...(people ? { people } : {}) },
  atMs: NOW - MINUTE,
  result: value,
  outcomeFields: {},
  contentDigest: "content",
  codeDigest: "code",
  continuesDirectly: false,
  ...times,
});

/** A gate of a step that has not ended. */
const early: Gate = createGate({
  id: "gate",
  workspace: "w",
  flow: "flow",
  root: "flow",
  module: "a",
  scope: "",
  path: "",
  retention: "short",
  expiresAtMs: NOW + 1000 * MINUTE,
});
const open = (rules?: Rules): Gate => ({ ...early, opened: opened(rules) });

const byLink = (resumeId: number, change: Partial<GateEvent> = {}): GateEvent => ({
  resumeId,
  level: "step",
  countedBy: "link",
  atMs: NOW,
  payloadDigest: "same",
  payload: value,
  ...change,
});
const byPerson = (name: string, change: Partial<GateEvent> = {}): GateEvent => {
  const { resumeId: _, ...event } = byLink(0);
  return { ...event, countedBy: "person", email: `${name}@example.com`, approver: name, ...change };
};
/** A job of one user that has the rights of another one. */
const byJob = (startedBy: string, runsAs: string) => byPerson(startedBy, { actsFor: `${runsAs}@example.com` });

/** The gate after approvals, or the code of the refusal of one. */
function approve(gate: Gate, events: readonly GateEvent[]): Gate | string {
  try {
    return events.reduce(recordApproval, gate);
  } catch (error) {
    return error instanceof SvcError ? error.code : String(error);
  }
}

describe("approvals of a gate", () => {
  const two = open({ required: 2 });
  const people = open({ required: 2, signedIn: true });
  /** `approved`, the number of counted approvals of an undecided gate, or the code of a refusal. */
  const cases: [title: string, gate: Gate, events: GateEvent[], verdict: string | number][] = [
    ["one of one decides", open(), [byLink(1)], "approved"],
    ["one of two does not decide", two, [byLink(1)], 1],
    ["two links decide", two, [byLink(1), byLink(2)], "approved"],
    ["a repetition counts once", two, [byLink(1), byLink(1, { atMs: NOW + 1 })], 1],
    ["another answer of a used link is refused", two, [byLink(1), byLink(1, { payloadDigest: "other" })], "approval.used"],
    ["a used link of another user is refused", two, [byLink(1, { email: "a@b.c" }), byLink(1, { email: "d@e.f" })], "approval.used"],
    ["equal numbers of different levels are different links", two, [byLink(1), byLink(1, { level: "flow" })], "approved"],
    [
      "a user with two links counts twice where links count",
      two,
      [byLink(1, { email: "a@b.c" }), byLink(2, { email: "a@b.c" })],
      "approved",
    ],
    ["a user with two links counts once where people count", people, [byLink(1, { email: "a@b.c" }), byLink(2, { email: "a@b.c" })], 1],
    ["two people decide", people, [byPerson("ann"), byPerson("bob")], "approved"],
    [
      "another answer of the same person is refused",
      people,
      [byPerson("ann"), byPerson("ann", { payloadDigest: "other" })],
      "approval.used",
    ],
    ["a job counts as the user who started it", people, [byPerson("ann"), byJob("ann", "olga")], 1],
    ["a job counts as the user whose rights it has", people, [byPerson("olga"), byJob("ann", "olga")], "approval.used"],
    ["the user for whom a job has approved does not count again", people, [byJob("ann", "olga"), byPerson("olga")], "approval.used"],
    ["an approval before the step's end waits for the rules", early, [byLink(1)], 1],
    ["an approval after the decision is refused", open(), [byLink(1), byLink(2)], "approval.decided"],
    ["an approval at the deadline is refused", open({ deadlineMs: NOW }), [byLink(1)], "approval.decided"],
    ["an approval before the deadline decides", open({ deadlineMs: NOW + 1 }), [byLink(1)], "approved"],
    [
      "one more than the maximum is refused",
      open({ required: limits.gateEvents + 1 }),
      Array.from({ length: limits.gateEvents + 1 }, (_, at) => byLink(at)),
      "approval.full",
    ],
  ];
  it.each(cases)("%s", (_, gate, events, verdict) => {
    const after = approve(gate, events);
    expect(typeof after === "string" ? after : (after.decision?.outcome ?? after.events.length)).toBe(verdict);
  });

  it("the last approval gives the decision its approver, address, reason and time", () => {
    const last = byPerson("bob", { reason: "fits", atMs: NOW + 5 });
    expect(approve(people, [byPerson("ann"), last])).toMatchObject({
      revision: 2,
      decision: { outcome: "approved", approver: "bob", email: "bob@example.com", reason: "fits", atMs: NOW + 5 },
    });
  });

  it("each change increments the version, and a repetition changes nothing", () => {
    const once = recordApproval(two, byLink(1));
    expect(once.revision).toBe(two.revision + 1);
    expect(recordApproval(once, byLink(1))).toBe(once);
  });

  it.each([
    ["names the approver of a used link", two, [byLink(1, { approver: "ann" }), byLink(1, { payloadDigest: "other" })], "ann"],
    ["names an approver without a name", two, [byLink(1), byLink(1, { payloadDigest: "other" })], "an unnamed approver"],
  ])("the refusal %s", (_, gate, events, by) => {
    expect(() => events.reduce(recordApproval, gate)).toThrow(expect.objectContaining({ details: expect.objectContaining({ by }) }));
  });

  it("an approval that is removed is missing again", () => {
    const [first, second] = [byLink(1), byLink(2)];
    const gate = { ...open({ required: 3 }), events: [first, second] };
    expect(countMissingApprovals(gate)).toBe(1);
    expect(removeEvents(gate, [first])).toMatchObject({ events: [second] });
    expect(countMissingApprovals(removeEvents(gate, [first]))).toBe(2);
    expect(removeEvents(gate, [])).toBe(gate);
  });

  it("approvers are listed in the order of their approvals, with a name for each", () => {
    expect(listApproverNames({ ...early, events: [byPerson("bob"), byLink(2), byPerson("ann")] })).toEqual(["bob", "anonymous", "ann"]);
  });
});

describe("a rejection of a gate", () => {
  const reject = (gate: Gate) => recordRejection(gate, { approver: "ann", atMs: NOW });
  it.each<[string, Gate]>([
    ["an open gate", open({ required: 2 })],
    ["a gate whose step has not ended", early],
    ["a gate with some approvals", { ...open({ required: 2 }), events: [byLink(1)] }],
  ])("decides %s alone", (_, gate) => {
    expect(reject(gate)).toMatchObject({ revision: 1, decision: { outcome: "rejected", approver: "ann", atMs: NOW } });
  });

  const decided = (outcome: Decision["outcome"]): Gate => ({ ...open(), decision: { outcome, approver: "bob", atMs: NOW - 1 } });
  it.each<[string, Gate, string]>([
    ["an approved gate", decided("approved"), "approved by bob"],
    ["a rejected gate", decided("rejected"), "rejected by bob"],
    ["an expired gate", decided("expired"), "no decision was made in time"],
    ["a gate whose deadline has passed", open({ deadlineMs: NOW }), "no decision was made in time"],
  ])("of %s is refused with its outcome", (_, gate, outcome) => {
    expect(() => reject(gate)).toThrow(
      expect.objectContaining({ code: "approval.decided", details: expect.objectContaining({ outcome }) }),
    );
  });
});

describe("the reason of a rejection", () => {
  const requires = (rejectReasonRequired: boolean | undefined, kind: "suspend" | "consent" = "suspend"): Gate => {
    const gate = open();
    if (!gate.opened) throw new Error("The gate is closed.");
    return { ...gate, opened: { ...gate.opened, kind, rules: { ...gate.opened.rules, rejectReasonRequired } } };
  };
  it.each<[string, Gate, string | undefined, boolean]>([
    ["may be missing at a gate of an older release", requires(undefined), undefined, true],
    ["may be missing if the gate does not require one", requires(false), "", true],
    ["may not be missing if the gate requires one", requires(true), undefined, false],
    ["may not be empty if the gate requires one", requires(true), "", false],
    ["may not consist of spaces if the gate requires one", requires(true), " \n\t\u00a0", false],
    ["may not be missing if a ConsentGate requires one", requires(true, "consent"), undefined, false],
    ["decides a gate that requires one", requires(true), "too expensive", true],
    ["decides a ConsentGate that requires one", requires(true, "consent"), "no", true],
  ])("%s", (_, gate, reason, isAccepted) => {
    const reject = () => recordRejection(gate, { approver: "ann", atMs: NOW, reason });
    if (isAccepted) expect(reject()).toMatchObject({ decision: { outcome: "rejected", reason } });
    else expect(reject).toThrow(expect.objectContaining({ code: "approval.reasonRequired" }));
  });

  it("is not required of an approval, and not of the deadline", () => {
    expect(recordApproval(requires(true), byLink(1)).decision?.outcome).toBe("approved");
    const late = requires(true);
    expect(expireGate({ ...late, opened: { ...(late.opened as OpenedGate), deadlineMs: NOW } }, NOW).decision?.outcome).toBe("expired");
  });

  it("is not asked for before a decided gate reports its decision", () => {
    const gate: Gate = { ...requires(true), decision: { outcome: "approved", atMs: NOW - 1 } };
    expect(() => recordRejection(gate, { atMs: NOW })).toThrow(expect.objectContaining({ code: "approval.decided" }));
  });

  it.each<[string, GateRules]>([
    ["a step", toSuspendRules({ reject_reason_required: true }, [])],
    ["a ConsentGate", toConsentRules({ type: "consentgate", approvers: ["u/ann"], reject_reason_required: true })],
  ])("is required if the author of %s says so", (_, rules) => {
    expect(rules.rejectReasonRequired).toBe(true);
    expect(isReasonMissing(rules, " ")).toBe(true);
  });

  it.each<[string, GateRules]>([
    ["a step", toSuspendRules({ reject_reason_required: false }, [])],
    ["a ConsentGate", toConsentRules({ type: "consentgate", approvers: ["u/ann"], reject_reason_required: null })],
  ])("is stored with the rules of %s only if it is required", (_, rules) => {
    expect(rules).not.toHaveProperty("rejectReasonRequired");
  });
});

describe("the end of a gate's step", () => {
  it.each<[string, GateEvent[], number, string | undefined]>([
    ["opens a gate without approvals", [], 1, undefined],
    ["opens a gate with too few approvals", [byLink(1)], 2, undefined],
    ["decides a gate with enough approvals", [byLink(1), byLink(2)], 2, "approved"],
  ])("%s", (_, events, required, outcome) => {
    const gate = markGateOpen({ ...early, events }, opened({ required }), 3);
    expect(gate.decision?.outcome).toBe(outcome);
    expect(gate).toMatchObject({ revision: 1, awaitsToken: { execution: 3, atMs: NOW - MINUTE } });
  });

  it("does not open a gate a second time", () => {
    const gate = open();
    expect(markGateOpen(gate, opened({ required: 5 }), 4)).toBe(gate);
  });
});

describe("the task that waits at a gate", () => {
  const waits = awaitToken(open(), 3, NOW);

  it("is noted once for each execution", () => {
    expect(waits.awaitsToken).toEqual({ execution: 3, atMs: NOW });
    expect(awaitToken(waits, 3, NOW + MINUTE)).toBe(waits);
    expect(awaitToken(waits, 4, NOW + MINUTE).awaitsToken).toEqual({ execution: 4, atMs: NOW + MINUTE });
    expect(awaitToken(early, 3, NOW)).toBe(early);
  });

  it("is no longer expected once it has registered its token, unless it belongs to another execution", () => {
    expect(setTaskToken(waits, "token", { execution: 3 })).toMatchObject({
      token: "token",
      state: { execution: 3 },
      awaitsToken: undefined,
    });
    expect(setTaskToken(waits, "token", { execution: 2 }).awaitsToken).toEqual({ execution: 3, atMs: NOW });
    const registered = setTaskToken(waits, "token", { execution: 3 });
    expect(setTaskToken(registered, "token", { execution: 3 })).toBe(registered);
    expect(setTaskToken(registered, "later", { execution: 4 }).token).toBe("later");
  });

  it.each<[string, Gate, number, number, boolean]>([
    ["of its execution is lost after a minute", waits, 3, NOW + limits.taskTokenMs, true],
    ["of its execution may still come within a minute", waits, 3, NOW + limits.taskTokenMs - 1, false],
    ["of another execution is not lost", waits, 4, NOW + limits.taskTokenMs, false],
    ["that no execution was sent to register is not lost", open(), 3, NOW + limits.taskTokenMs, false],
  ])("%s", (_, gate, execution, nowMs, lost) => {
    expect(isTaskTokenLost(gate, execution, nowMs)).toBe(lost);
  });
});

describe("timed changes of a gate", () => {
  const decided: Gate = { ...open({ deadlineMs: NOW, remindAtMs: NOW }), decision: { outcome: "approved", atMs: NOW } };

  it.each<[string, Gate, boolean]>([
    ["expires at its deadline", open({ deadlineMs: NOW }), true],
    ["does not expire before its deadline", open({ deadlineMs: NOW + 1 }), false],
    ["does not expire without a deadline", open(), false],
    ["does not expire before its step has ended", early, false],
    ["does not expire after its decision", decided, false],
  ])("a gate %s", (_, gate, expires) => {
    const after = expireGate(gate, NOW);
    if (expires) expect(after).toMatchObject({ revision: 1, decision: { outcome: "expired", atMs: NOW } });
    else expect(after).toBe(gate);
  });

  it.each<[string, Gate, string[] | undefined]>([
    ["the group joins the approvers", open({ people: ["u/ann"], escalate: { atMs: NOW, people: ["g/boss"] } }), ["u/ann", "g/boss"]],
    ["an approver is not added twice", open({ people: ["g/boss"], escalate: { atMs: NOW, people: ["g/boss"] } }), ["g/boss"]],
    ["nothing changes before its time", open({ people: ["u/ann"], escalate: { atMs: NOW + 1, people: ["g/boss"] } }), undefined],
    ["nothing changes without an escalation", open({ people: ["u/ann"] }), undefined],
  ])("at an escalation, %s", (_, gate, people) => {
    const after = escalateGate(gate, NOW);
    if (!people) expect(after).toBe(gate);
    else {
      expect(after.opened?.rules.people).toEqual(people);
      expect(escalateGate(after, NOW)).toBe(after);
    }
  });

  it("approvers are reminded once, at the time of the reminder", () => {
    const gate = open({ remindAtMs: NOW });
    expect(remindApprovers(gate, NOW - 1)).toBe(gate);
    const reminded = remindApprovers(gate, NOW);
    expect(reminded.opened).not.toHaveProperty("remindAtMs");
    expect(remindApprovers(reminded, NOW)).toBe(reminded);
    expect(remindApprovers(decided, NOW)).toBe(decided);
  });

  it.each<[string, Gate, number | undefined]>([
    ["its deadline", open({ deadlineMs: 3 }), 3],
    ["its reminder", open({ deadlineMs: 3, remindAtMs: 2 }), 2],
    ["its escalation", open({ deadlineMs: 3, remindAtMs: 2, escalate: { atMs: 1, people: [] } }), 1],
    ["none without times", open(), undefined],
    ["none before its step has ended", early, undefined],
    ["none after its decision", decided, undefined],
  ])("the next change is %s", (_, gate, dueAtMs) => {
    expect(gateDueAtMs(gate)).toBe(dueAtMs);
  });
});

describe("the error after a gate", () => {
  const ended = (kind: OpenedGate["kind"], decision: Partial<Decision>): Gate => ({
    ...open({ kind }),
    decision: { outcome: "rejected", atMs: NOW, ...decision },
  });
  it.each<[string, Gate, ReturnType<typeof toGateError>]>([
    ["does not exist without a decision", open(), undefined],
    ["does not exist after an approval", ended("suspend", { outcome: "approved" }), undefined],
    [
      "says that a step was disapproved",
      ended("suspend", { approver: "ann" }),
      { name: "SuspendedDisapproved", message: "Disapproved by ann" },
    ],
    [
      "says that an unknown person disapproved a step for a reason",
      ended("suspend", { reason: "too dear" }),
      { name: "SuspendedDisapproved", message: "Disapproved by unknown", reason: "too dear" },
    ],
    [
      "says that a step timed out",
      ended("suspend", { outcome: "expired" }),
      { name: "SuspendedTimedOut", message: "Timed out waiting to be resumed" },
    ],
    [
      "says that consent was rejected",
      ended("consent", { approver: "ann" }),
      { name: "ConsentRejected", message: "Rejected by ann", reason: "" },
    ],
    [
      "says that consent was rejected for a reason",
      ended("consent", { approver: "ann", reason: "too dear" }),
      { name: "ConsentRejected", message: "Rejected by ann: too dear", reason: "too dear" },
    ],
    [
      "says that consent timed out",
      ended("consent", { outcome: "expired" }),
      { name: "ConsentRejected", message: "No approver decided in time", reason: "timeout" },
    ],
  ])("%s", (_, gate, error) => {
    expect(toGateError(gate)).toEqual(error);
  });
});
