import * as z from "zod";
import type { FlowModule } from "../../contract/flows/flow-value.ts";

/** The approvals that a flow requires before it continues. */
export const gateRulesSchema = z.object({
  /** The number of required events, or of different people if they must sign in. */
  required: z.int(),
  /** The approvers: `u/<user>`, `g/<group>`, `role:admin` or an e-mail address. Absent: every holder of a link. */
  people: z.array(z.string()).optional(),
  /**
   * The identity that each principal of `people`, and of an escalation, had when the gate opened. A principal with another identity is
   * another user or group under the same name, who may not decide. Absent in gates of older releases.
   */
  identities: z.record(z.string(), z.string()).optional(),
  signedIn: z.boolean(),
  /** The user who started the run may not approve. */
  notStarter: z.boolean(),
  /** Jobs may not approve. */
  personOnly: z.boolean(),
  /** A rejection must state a reason. Absent: a reason is optional, as in gates of older releases. */
  rejectReasonRequired: z.boolean().optional(),
});
export type GateRules = z.infer<typeof gateRulesSchema>;

/** Returns the rules in the form that flows and pages show. */
export const toApprovalConditions = ({ signedIn, notStarter, people = [] }: GateRules) => ({
  user_auth_required: signedIn,
  user_groups_required: people.filter((principal) => principal.startsWith("g/")).map((principal) => principal.slice(2)),
  self_approval_disabled: notStarter,
});

/** Returns whether a rejection lacks the reason that the rules require. Spaces are no reason. */
export const isReasonMissing = ({ rejectReasonRequired }: GateRules, reason: string | undefined): boolean =>
  rejectReasonRequired === true && (reason ?? "").trim() === "";

type Suspend = NonNullable<FlowModule["suspend"]>;
type ConsentGate = Extract<FlowModule["value"], { type: "consentgate" }>;

/** Removes the prefix `g/` from a group's name. */
export const trimGroupPrefix = (text: string) => text.replace(/^g\//, "");

/** The principals of a rule that is a list of group names. */
export const toGroupPrincipals = (groups: readonly string[]) => groups.map((group) => `g/${trimGroupPrefix(group)}`);

/**
 * Reads the value of `user_groups_required`, and returns the names of the groups, or a sentence part about the fault. Only a list with at least
 * one name is valid: an expression without a usable result must not let every holder of a link decide. The only exception is an empty list in the
 * flow's text together with `user_auth_required`, with which flow editors express that every member may decide.
 */
export function readRequiredGroups({ user_groups_required: transform, user_auth_required: signedIn }: Suspend, value: unknown) {
  if (!transform) return { groups: [] };
  const fixed = transform.type === "static" && signedIn === true ? (value ?? []) : value;
  if (Array.isArray(fixed) && fixed.every((each): each is string => typeof each === "string" && trimGroupPrefix(each) !== "")) {
    if (fixed.length > 0 || (transform.type === "static" && signedIn === true)) return { groups: fixed };
  }
  const shown = (JSON.stringify(value) ?? "null").slice(0, 200);
  return { problem: `user_groups_required must be a list of at least one group name, but it is ${shown}` };
}

/**
 * Returns the rules of a step's `suspend`. `groups`: only members of these groups may approve. Rules about persons imply that approvers
 * sign in.
 */
export function toSuspendRules(
  {
    required_events: required,
    user_auth_required: signedIn,
    self_approval_disabled: notStarter,
    reject_reason_required: rejectReasonRequired,
  }: Suspend,
  groups: readonly string[],
): GateRules {
  const people = toGroupPrincipals(groups);
  return {
    required: required ?? 1,
    ...(people.length > 0 ? { people } : {}),
    signedIn: signedIn === true || notStarter === true || people.length > 0,
    notStarter: notStarter === true,
    personOnly: false,
    ...(rejectReasonRequired ? { rejectReasonRequired } : {}),
  };
}

/** Returns the rules of a ConsentGate. The first decision of one of the approvers counts. */
export const toConsentRules = ({ approvers, reject_reason_required: rejectReasonRequired }: ConsentGate): GateRules => ({
  required: 1,
  people: approvers,
  signedIn: true,
  notStarter: false,
  personOnly: true,
  ...(rejectReasonRequired ? { rejectReasonRequired } : {}),
});
