import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseReadableObjects } from "../../core/objects/parse-object.ts";
import { deriveUsername } from "../../core/people/actor.ts";
import { personKey, personSchema } from "../../core/people/person.ts";
import { hasGrants } from "../../core/permissions/access.ts";
import { loadAccess } from "./access.ts";
import { listStoredKinds } from "./stored-kinds.ts";

/**
 * Returns whether a person who joins a workspace may have a username without an admin's consent: it gives no access to anything that another
 * user created. A superadmin creates objects, files and runs under their own username without being a member. Rights that were granted to a
 * username in advance count only for the person whose address gives that username.
 */
export async function mayTakeUsername(
  { objects }: { objects: ObjectTable },
  workspace: string,
  { email, username }: { email: string; username: string },
): Promise<boolean> {
  const [stored, users, { access }] = await Promise.all([
    listStoredKinds(objects, workspace, `u/${username}/`),
    objects.list(keys.user("").pk),
    loadAccess(objects, workspace),
  ]);
  if (stored.length > 0) return false;
  if (username !== deriveUsername(email) && hasGrants(access, `u/${username}`)) return false;
  const isSame = (other: string) => other.toLowerCase() === username.toLowerCase();
  return !parseReadableObjects(personSchema, users).some(
    (person) => person.superAdmin && isSame(person.username) && personKey(person.email) !== personKey(email),
  );
}
