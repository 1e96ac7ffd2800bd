import { assertNever } from "../../../contract/utilities/assert-never.ts";
import type { PrincipalIdentities } from "../../../core/approvals/principals.ts";
import type { ObjectKey, StoredObject } from "../../../core/objects/write.ts";
import { instanceGroupObject } from "../../../core/people/instance-group.ts";
import { usernameObject } from "../../../core/people/membership.ts";
import { personKey } from "../../../core/people/person.ts";
import { type Access, ALL, accessObject, noAccess } from "../../../core/permissions/access.ts";
import { type Principal, parsePrincipal } from "../../../core/permissions/principal.ts";
import type { Uses } from "../../uses.ts";

/** The identity of principals that exist as long as the workspace: roles, the group of all members, and e-mail addresses. */
const CONSTANT = "constant";

/**
 * Loads the current identity of each principal of an approval rule: the creation of a group, the person behind a username. Principals that
 * do not exist are absent.
 */
export async function loadPrincipalIdentities(
  { objects }: Uses<"objects">,
  workspace: string,
  principals: readonly string[],
): Promise<PrincipalIdentities> {
  const named = [...new Set(principals)].map((text) => ({ text, principal: parsePrincipal(text) }));
  const keys = named.map(({ principal }) => keyOf(workspace, principal));
  const [stored, ...items] = await objects.batchGet([accessObject.key(workspace), ...keys], { consistent: true });
  const access = stored ? accessObject.parse(stored) : noAccess;
  return Object.fromEntries(
    named.flatMap(({ text, principal }, index) => {
      const identity = identityOf(principal, access, items[index]);
      return identity === undefined ? [] : [[text, identity]];
    }),
  );
}

/** Returns the key of the item that proves a principal's existence besides the workspace's access rights. */
function keyOf(workspace: string, principal: Principal): ObjectKey {
  if (principal.kind === "user") return usernameObject.key(workspace, principal.name);
  return principal.kind === "group" ? instanceGroupObject.key(principal.name) : accessObject.key(workspace);
}

function identityOf(principal: Principal, { groups }: Access, item: StoredObject | undefined): string | undefined {
  switch (principal.kind) {
    case "admins":
      return CONSTANT;
    case "address":
      return /^[^\s@/]+@[^\s@/]+$/.test(principal.email) ? CONSTANT : undefined;
    case "group": {
      const { name } = principal;
      if (name === ALL) return CONSTANT;
      if (Object.hasOwn(groups, name)) return groups[name]?.id ?? "";
      return item && `instance ${item.version ?? ""}`;
    }
    case "user":
      return item && personKey(usernameObject.parse(item).email ?? "");
    default:
      return assertNever(principal);
  }
}
