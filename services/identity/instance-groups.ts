import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import type { InstanceGroupJson } from "../../contract/routes/people/people.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseReadableObjects } from "../../core/objects/parse-object.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { listPersons, loadPerson, updatePerson } from "./users.ts";

interface InstanceGroupDeps {
  objects: ObjectTable;
}
type Reader = Pick<Actor, "email" | "superAdmin">;
const storedGroupSchema = z.object({ name: z.string(), summary: z.string().optional() });
type Stored = Pick<InstanceGroupJson, "name" | "summary">;

/**
 * Lists the groups of the instance with those of their members whom the caller may know: all for a superadmin, otherwise the caller alone,
 * because the others may be in workspaces that the caller may not see. Memberships are stored in the users' own records, which every call reads.
 */
export async function listInstanceGroups(deps: InstanceGroupDeps, { email: own, superAdmin }: Reader): Promise<InstanceGroupJson[]> {
  const [groups, persons] = await Promise.all([deps.objects.list(keys.instanceGroup("").pk), listPersons(deps)]);
  return parseReadableObjects(storedGroupSchema, groups).map((group) => ({
    ...group,
    emails: persons.filter(({ email, groups: of }) => of?.includes(group.name) && (superAdmin || email === own)).map(({ email }) => email),
  }));
}

/** Returns a group of the instance as `listInstanceGroups` does. Throws `group.notFound`. */
export async function getInstanceGroup(deps: InstanceGroupDeps, reader: Reader, name: string): Promise<InstanceGroupJson> {
  const found = (await listInstanceGroups(deps, reader)).find((group) => group.name === name);
  if (!found) throw new SvcError("group.notFound", { name });
  return found;
}

/** Creates a group of the instance. Throws `group.exists`. */
export async function createInstanceGroup({ objects }: InstanceGroupDeps, { name, summary }: Stored): Promise<void> {
  const value = { name, ...(summary ? { summary } : {}) };
  const made = await objects.put({ ...keys.instanceGroup(name), value, version: randomUUID() }, "absent");
  if (!made) throw new SvcError("group.exists", { name });
}

/** Changes the summary of a group. Throws `group.notFound`. */
export async function updateInstanceGroup({ objects }: InstanceGroupDeps, name: string, summary: string | undefined): Promise<void> {
  const value = { name, ...(summary ? { summary } : {}) };
  if (!(await objects.update({ ...keys.instanceGroup(name), value }, "present"))) throw new SvcError("group.notFound", { name });
}

/**
 * Deletes a group after removing its members. If it fails halfway, another call completes it. Throws `group.notFound`,
 * `access.changedMeanwhile`.
 */
export async function deleteInstanceGroup(deps: InstanceGroupDeps, name: string): Promise<void> {
  const { emails = [] } = await getInstanceGroup(deps, { email: "", superAdmin: true }, name);
  for (const email of emails) await removeFromInstanceGroup(deps, name, email);
  await deps.objects.deleteItem(keys.instanceGroup(name));
}

/** Adds a user to a group. Throws `group.notFound`, `user.notFound`, `access.changedMeanwhile`. */
export async function addToInstanceGroup(deps: InstanceGroupDeps, name: string, email: string): Promise<void> {
  await requireInstanceGroup(deps, name);
  await updatePerson(deps, email, (person) => ({ ...person, groups: [...new Set([...(person.groups ?? []), name])] }));
}

/** Removes a user from a group. Throws `group.notFound`, `user.notFound`, `access.changedMeanwhile`. */
export async function removeFromInstanceGroup(deps: InstanceGroupDeps, name: string, email: string): Promise<void> {
  await requireInstanceGroup(deps, name);
  const { person } = await loadPerson(deps, email);
  if (!person.groups?.includes(name)) return;
  await updatePerson(deps, email, (now) => ({ ...now, groups: (now.groups ?? []).filter((group) => group !== name) }));
}

async function requireInstanceGroup({ objects }: InstanceGroupDeps, name: string): Promise<StoredObject> {
  const found = await objects.get(keys.instanceGroup(name));
  if (!found) throw new SvcError("group.notFound", { name });
  return found;
}
