import type { FlowModule } from "../../contract/flows/flow-value.ts";
import type { GateRules } from "./gate.ts";

type Suspend = NonNullable<FlowModule["suspend"]>;

/** Removes the prefix `g/` from a group's name. */
export const trimGroupPrefix = (text: string) => text.replace(/^g\//, "");

/**
 * Returns the rules of a step's `suspend`. `groups`: only members of these groups may approve. Rules about persons imply that approvers
 * sign in.
 */
export function toSuspendRules(
  { required_events: required, user_auth_required: signedIn, self_approval_disabled: notStarter }: Suspend,
  groups: readonly string[],
): GateRules {
  const people = groups.map((group) => `g/${trimGroupPrefix(group)}`);
  return {
    required: required ?? 1,
    ...(people.length > 0 ? { people } : {}),
    signedIn: signedIn === true || notStarter === true || people.length > 0,
    notStarter: notStarter === true,
    personOnly: false,
  };
}

/** Returns the rules of a ConsentGate. The first decision of one of the approvers counts. */
export const toConsentRules = (people: string[]): GateRules => ({
  required: 1,
  people,
  signedIn: true,
  notStarter: false,
  personOnly: true,
});
