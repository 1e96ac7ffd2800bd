import type { AutoInvite } from "../../contract/routes/workspaces/setting-schemas.ts";

const domainOf = (email: string) => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

/** Converts a request to the stored setting. Returns `undefined` if no user joins automatically. */
export function toAutoInvite(
  request: { operator?: boolean | null | undefined; invite_all?: boolean | null | undefined; auto_add?: boolean | null | undefined },
  adminEmail: string,
): AutoInvite | undefined {
  const { operator, invite_all: all, auto_add: add } = request;
  if (operator == null && all == null && add == null) return undefined;
  return { enabled: true, domain: all ? "*" : domainOf(adminEmail), operator: operator ?? false, mode: add ? "add" : "invite" };
}

/** Returns whether a new user of the instance joins the workspace automatically. */
export function acceptsNewUser(autoInvite: AutoInvite | undefined, email: string): boolean {
  return autoInvite?.enabled === true && (autoInvite.domain === "*" || autoInvite.domain === domainOf(email));
}
