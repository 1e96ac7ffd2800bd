import type { AutoInvite } from "../../contract/routes/workspaces/settings.ts";

const domainOf = (email: string) => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

/** What a workspace keeps of a wish; `undefined`: nobody joins by themselves. */
export function toAutoInvite(
  asked: { operator?: boolean | null | undefined; invite_all?: boolean | null | undefined; auto_add?: boolean | null | undefined },
  askerEmail: string,
): AutoInvite | undefined {
  const { operator, invite_all: all, auto_add: add } = asked;
  if (operator == null && all == null && add == null) return undefined;
  return { enabled: true, domain: all ? "*" : domainOf(askerEmail), operator: operator ?? false, mode: add ? "add" : "invite" };
}

export function acceptsNewUser(autoInvite: AutoInvite | undefined, email: string): boolean {
  return autoInvite?.enabled === true && (autoInvite.domain === "*" || autoInvite.domain === domainOf(email));
}
