import type { FlowModule } from "../../contract/flows/flow-value.ts";
import type { GateRules } from "./gate.ts";

type Suspend = NonNullable<FlowModule["suspend"]>;

/** A group's name, with its `g/` or without. */
export const trimGroupPrefix = (text: string) => text.replace(/^g\//, "");

/** Who must agree after a step that asks; `groups`: whose members alone, where there are any. Rules that need to know a person imply signing in. */
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

/** Of a ConsentGate: the first of them who decides has decided. */
export const toConsentRules = (people: string[]): GateRules => ({
  required: 1,
  people,
  signedIn: true,
  notStarter: false,
  personOnly: true,
});
