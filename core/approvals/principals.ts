import type { GateRules } from "./rules.ts";

/** The identity of each principal that exists, by its text: `g/ops` and the id of the group's creation, for example. */
export type PrincipalIdentities = Readonly<Record<string, string>>;

/** Returns the principals that do not exist. */
const listUnknownPrincipals = (principals: readonly string[], identities: PrincipalIdentities): string[] =>
  principals.filter((principal) => !Object.hasOwn(identities, principal));

/** Returns a sentence part about the principals that do not exist, or `undefined` if all exist. */
export function describeUnknownPrincipals(principals: readonly string[], identities: PrincipalIdentities): string | undefined {
  const unknown = listUnknownPrincipals(principals, identities);
  if (unknown.length === 0) return undefined;
  return `the approvers ${unknown.slice(0, 10).join(", ")} do not exist in this workspace: create them, or correct the rule`;
}

/**
 * Returns the rules of a gate without the principals that were replaced since the gate opened. If all of them were replaced, no one may
 * decide. The rules of a gate that older releases opened remain as they are.
 */
export function dropReplacedPrincipals(rules: GateRules, current: PrincipalIdentities): GateRules {
  const { people, identities } = rules;
  if (!people || !identities) return rules;
  const isSame = (principal: string) =>
    Object.hasOwn(identities, principal) && Object.hasOwn(current, principal) && identities[principal] === current[principal];
  return { ...rules, people: people.filter(isSame) };
}
