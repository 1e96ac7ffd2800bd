import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import type { InstanceGroupJson, InstanceRole } from "../../contract/routes/people/people.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { instanceGroupObject, instanceGroupRoleObject } from "../../core/people/instance-group.ts";
import type { PersonRecord } from "../../core/people/person.ts";
import type { Uses } from "../uses.ts";
import { listPersons, loadPerson, updatePerson } from "./users.ts";

type Reader = Pick<Actor, "email" | "superAdmin">;
type Stored = Pick<InstanceGroupJson, "name" | "summary">;

/**
 * Lists the groups of the instance with those of their members whom the caller may see: all for a superadmin, otherwise only the caller, because
 * the others may be in workspaces that the caller may not see. Memberships are stored in the users' own records, which every call reads.
 */
export async function listInstanceGroups(deps: Uses<"objects">, { email: callerEmail, superAdmin }: Reader): Promise<InstanceGroupJson[]> {
  const { objects } = deps;
  const [groups, stored, persons] = await Promise.all([
    objects.list(instanceGroupObject.partitionKey()),
    objects.list(instanceGroupRoleObject.partitionKey()),
    listPersons(deps),
  ]);
  const roles = new Map(stored.map((found) => [found.sk, instanceGroupRoleObject.parse(found).role]));
  return instanceGroupObject.parseReadable(groups).map((group) => ({
    ...group,
    ...(roles.has(group.name) ? { instance_role: roles.get(group.name) } : {}),
    emails: persons
      .filter(({ email, groups: of }) => of?.includes(group.name) && (superAdmin || email === callerEmail))
      .map(({ email }) => email),
  }));
}

/** Returns a group of the instance as `listInstanceGroups` does. Throws `group.notFound`. */
export async function getInstanceGroup(deps: Uses<"objects">, reader: Reader, name: string): Promise<InstanceGroupJson> {
  const found = (await listInstanceGroups(deps, reader)).find((group) => group.name === name);
  if (!found) throw new SvcError("group.notFound", { name });
  return found;
}

/** Returns a user after a change of a group's role. */
function withRole({ roleGroups: before = [], ...person }: PersonRecord, name: string, role: InstanceRole | undefined): PersonRecord {
  const others = before.filter((group) => group !== name);
  const isGiven = role === "superadmin" && person.groups?.includes(name) === true;
  const roleGroups = isGiven ? [...others, name] : others;
  return { ...person, ...(roleGroups.length > 0 ? { roleGroups } : {}) };
}

/**
 * Sets the role that a group gives its members. If it fails halfway, another call completes it. Throws `group.notFound`, and `access.changedMeanwhile`
 * if the role is set twice at the same time.
 */
export async function setInstanceGroupRole(deps: Uses<"objects">, name: string, role: InstanceRole): Promise<void> {
  const key = instanceGroupRoleObject.key(name);
  const version = randomUUID();
  const refused = await deps.objects.transactWrite([
    write.check(instanceGroupObject.key(name), "present"),
    write.put({ ...key, value: { role }, version }),
  ]);
  if (refused !== undefined) throw new SvcError("group.notFound", { name });
  // A member who is added later reads the new role, because the addition depends on this version.
  for (const { email, groups, roleGroups } of await listPersons(deps)) {
    if (!groups?.includes(name) && !roleGroups?.includes(name)) continue;
    await updatePerson(deps, email, (person) => withRole(person, name, role), [write.check(key, { version })]);
  }
}

/** Creates a group of the instance. Throws `group.exists`. */
export async function createInstanceGroup({ objects }: Uses<"objects">, { name, summary }: Stored): Promise<void> {
  const value = { name, ...(summary ? { summary } : {}) };
  const isCreated = await objects.put({ ...instanceGroupObject.key(name), value, version: randomUUID() }, "absent");
  if (!isCreated) throw new SvcError("group.exists", { name });
}

/** Changes the summary of a group. Throws `group.notFound`. */
export async function updateInstanceGroup({ objects }: Uses<"objects">, name: string, summary: string | undefined): Promise<void> {
  const value = { name, ...(summary ? { summary } : {}) };
  if (!(await objects.update({ ...instanceGroupObject.key(name), value }, "present"))) throw new SvcError("group.notFound", { name });
}

/**
 * Deletes a group after removing its members. If it fails halfway, another call completes it. Throws `group.notFound`,
 * `access.changedMeanwhile`.
 */
export async function deleteInstanceGroup(deps: Uses<"objects">, name: string): Promise<void> {
  const { emails = [] } = await getInstanceGroup(deps, { email: "", superAdmin: true }, name);
  for (const email of emails) await removeFromInstanceGroup(deps, name, email);
  await deps.objects.transactWrite([write.remove(instanceGroupObject.key(name)), write.remove(instanceGroupRoleObject.key(name))]);
}

/** Adds a user to a group. Throws `group.notFound`, `user.notFound`, `access.changedMeanwhile`. */
export async function addToInstanceGroup(deps: Uses<"objects">, name: string, email: string): Promise<void> {
  await requireInstanceGroup(deps, name);
  const stored = await deps.objects.get(instanceGroupRoleObject.key(name));
  const role = stored && instanceGroupRoleObject.parse(stored).role;
  const unchanged = write.check(instanceGroupRoleObject.key(name), stored ? unchangedSince(stored) : "absent");
  const add = (person: PersonRecord) => withRole({ ...person, groups: [...new Set([...(person.groups ?? []), name])] }, name, role);
  await updatePerson(deps, email, add, [unchanged]);
}

/** Removes a user from a group. Throws `group.notFound`, `user.notFound`, `access.changedMeanwhile`. */
export async function removeFromInstanceGroup(deps: Uses<"objects">, name: string, email: string): Promise<void> {
  await requireInstanceGroup(deps, name);
  const { person } = await loadPerson(deps, email);
  if (!person.groups?.includes(name)) return;
  const remove = (now: PersonRecord) => withRole({ ...now, groups: (now.groups ?? []).filter((group) => group !== name) }, name, undefined);
  await updatePerson(deps, email, remove);
}

async function requireInstanceGroup({ objects }: Uses<"objects">, name: string): Promise<StoredObject> {
  const found = await objects.get(instanceGroupObject.key(name));
  if (!found) throw new SvcError("group.notFound", { name });
  return found;
}
