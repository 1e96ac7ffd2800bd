import { deriveUsername } from "../../core/people/actor.ts";
import { personKey, userObject } from "../../core/people/person.ts";
import { hasGrants } from "../../core/permissions/access.ts";
import type { Uses } from "../uses.ts";
import { loadAccess } from "./access.ts";
import { listStoredKinds } from "./stored-kinds.ts";

/**
 * Returns whether a person who joins a workspace may have a username without an admin's consent: it gives no access to anything that another
 * user created. A superadmin creates objects, files and runs under their own username without being a member. Rights that were granted to a
 * username in advance count only for the person whose address gives that username.
 */
export async function mayTakeUsername(
  { objects }: Uses<"objects">,
  workspace: string,
  { email, username }: { email: string; username: string },
): Promise<boolean> {
  const [stored, users, { access }] = await Promise.all([
    listStoredKinds(objects, workspace, `u/${username}/`),
    objects.list(userObject.partitionKey()),
    loadAccess(objects, workspace),
  ]);
  if (stored.length > 0) return false;
  if (username !== deriveUsername(email) && hasGrants(access, `u/${username}`)) return false;
  const isSame = (other: string) => other.toLowerCase() === username.toLowerCase();
  return !userObject
    .parseReadable(users)
    .some((person) => person.superAdmin && isSame(person.username) && personKey(person.email) !== personKey(email));
}
