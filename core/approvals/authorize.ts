import type { RefusalName } from "../../contract/approvals/refusals.ts";
import { assertNever } from "../../contract/utilities/assert-never.ts";
import { parsePrincipal } from "../permissions/principal.ts";
import type { GateRules } from "./rules.ts";

/** The caller who wants to decide. A link alone identifies no person, and neither does an account in a chat that is not connected with a user. */
export type Approver =
  | { kind: "link" }
  | {
      kind: "person" | "job";
      /** E-mail addresses of the caller. For a job, these include the address of the user who started it. */
      emails: readonly string[];
      username: string;
      /** The membership in the gate's workspace. Absent for non-members. */
      member?: { groups: readonly string[]; role: "admin" | "developer" | "operator" };
      superAdmin: boolean;
    };

/**
 * The caller's access path to a gate: a link for it, a message in a chat that the caller has clicked, or their account alone. `mayStop`: the caller
 * has the right to stop the run.
 */
export type AccessPath = { by: "link" | "chat" | "account"; mayStop: boolean };

/** The verdict: `yes`, or the reason for a refusal. `sign_in` may become `yes` after the caller signs in. */
export type Verdict = "yes" | RefusalName;

/** Returns whether a caller may approve or reject. Every decision passes this check. */
export function authorize({ rules, starter }: { rules: GateRules; starter: string }, who: Approver, accessPath: AccessPath): Verdict {
  const needsPerson = rules.signedIn || rules.notStarter || rules.personOnly || rules.people !== undefined;
  // To see the message is to have the link.
  const isShared = accessPath.by !== "account";
  if (who.kind === "link") return needsPerson || !isShared ? "sign_in" : "yes";
  // No job clicks in a chat.
  if (who.kind === "job" && (rules.personOnly || accessPath.by === "chat")) return "job_token";
  if (rules.notStarter && who.emails.some((email) => sameAddress(email, starter))) return "self";
  if (rules.people) return rules.people.some((principal) => matchesPrincipal(principal, who)) ? "yes" : "not_approver";
  if (isShared) return !needsPerson || who.member || who.superAdmin ? "yes" : "not_approver";
  return accessPath.mayStop ? "yes" : "not_approver";
}

const sameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function matchesPrincipal(text: string, { emails, username, member, superAdmin }: Exclude<Approver, { kind: "link" }>): boolean {
  const principal = parsePrincipal(text);
  switch (principal.kind) {
    case "admins":
      return superAdmin || member?.role === "admin";
    case "group":
      return member?.groups.includes(principal.name) ?? false;
    case "user":
      return member !== undefined && username === principal.name;
    case "address":
      // The first address of a job is the address of the user whose rights it has.
      return emails[0] !== undefined && sameAddress(emails[0], principal.email);
    default:
      return assertNever(principal);
  }
}
