import type { GateRules } from "./gate.ts";

/** Who wants to decide. A link alone names nobody. */
export type Approver =
  | { kind: "link" }
  | {
      kind: "person" | "job";
      /** Addresses that it counts as: of a job also that of who started it. */
      emails: readonly string[];
      username: string;
      /** In the gate's workspace; absent for who is no member of it. */
      member?: { groups: readonly string[]; role: "admin" | "developer" | "operator" };
      superAdmin: boolean;
    };

/** How somebody came to a gate: by a link that was made for it, or as who may see, or stop, the run. */
export type AccessPath = { link: boolean; mayStop: boolean };

/** Why not; `signIn` may become a yes once somebody says who they are. */
export type Verdict = "yes" | "signIn" | "self" | "notApprover" | "jobToken";

/** Whether somebody may decide, to approve as to reject. Every path that leads to a decision asks here. */
export function authorize({ rules, starter }: { rules: GateRules; starter: string }, who: Approver, way: AccessPath): Verdict {
  const needsPerson = rules.signedIn || rules.notStarter || rules.personOnly || rules.people !== undefined;
  if (who.kind === "link") return needsPerson || !way.link ? "signIn" : "yes";
  if (who.kind === "job" && rules.personOnly) return "jobToken";
  if (rules.notStarter && who.emails.some((email) => sameAddress(email, starter))) return "self";
  if (rules.people) return rules.people.some((principal) => isOne(principal, who)) ? "yes" : "notApprover";
  if (way.link) return !needsPerson || who.member || who.superAdmin ? "yes" : "notApprover";
  return way.mayStop ? "yes" : "notApprover";
}

const sameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function isOne(principal: string, { emails, username, member, superAdmin }: Exclude<Approver, { kind: "link" }>): boolean {
  if (principal === "role:admin") return superAdmin || member?.role === "admin";
  const [, space, name = ""] = /^([ug])\/(.+)$/.exec(principal) ?? [];
  if (space === "g") return member?.groups.includes(name) ?? false;
  if (space === "u") return member !== undefined && username === name;
  // Of a job the first address is whose rights it has.
  return emails[0] !== undefined && sameAddress(emails[0], principal);
}
