import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import type { InstanceGroupJson } from "../../contract/routes/people/people.ts";
import { keys } from "../../core/objects/keys.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { listPersons, loadPerson, updatePerson } from "./users.ts";

interface InstanceGroupDeps {
  objects: ObjectTable;
}
type Stored = Pick<InstanceGroupJson, "name" | "summary">;

/** Who is in a group stands in the users' own records, which every call reads. */
export async function listInstanceGroups(collaborators: InstanceGroupDeps): Promise<InstanceGroupJson[]> {
  const [groups, persons] = await Promise.all([collaborators.objects.list(keys.instanceGroup("").pk), listPersons(collaborators)]);
  return groups.map(({ value }) => {
    const group = value as Stored;
    return { ...group, emails: persons.filter(({ groups: of }) => of?.includes(group.name)).map(({ email }) => email) };
  });
}

/** Throws `group.notFound`. */
export async function getInstanceGroup(collaborators: InstanceGroupDeps, name: string): Promise<InstanceGroupJson> {
  const found = (await listInstanceGroups(collaborators)).find((group) => group.name === name);
  if (!found) throw new SvcError("group.notFound", { name });
  return found;
}

/** Throws `group.exists`. */
export async function createInstanceGroup({ objects }: InstanceGroupDeps, { name, summary }: Stored): Promise<void> {
  const value = { name, ...(summary ? { summary } : {}) };
  const made = await objects.put({ ...keys.instanceGroup(name), value, version: randomUUID() }, "absent");
  if (!made) throw new SvcError("group.exists", { name });
}

/** Throws `group.notFound`. */
export async function updateInstanceGroup({ objects }: InstanceGroupDeps, name: string, summary: string | undefined): Promise<void> {
  const value = { name, ...(summary ? { summary } : {}) };
  if (!(await objects.update({ ...keys.instanceGroup(name), value }, "present"))) throw new SvcError("group.notFound", { name });
}

/** Its members leave first: what fails halfway is taken up by calling it again. Throws `group.notFound`, `access.changedMeanwhile`. */
export async function deleteInstanceGroup(collaborators: InstanceGroupDeps, name: string): Promise<void> {
  const { emails = [] } = await getInstanceGroup(collaborators, name);
  for (const email of emails) await removeFromInstanceGroup(collaborators, name, email);
  await collaborators.objects.remove(keys.instanceGroup(name));
}

/** Throws `group.notFound`, `user.notFound`, `access.changedMeanwhile`. */
export async function addToInstanceGroup(collaborators: InstanceGroupDeps, name: string, email: string): Promise<void> {
  await existing(collaborators, name);
  await updatePerson(collaborators, email, (person) => ({ ...person, groups: [...new Set([...(person.groups ?? []), name])] }));
}

/** Throws `group.notFound`, `user.notFound`, `access.changedMeanwhile`. */
export async function removeFromInstanceGroup(collaborators: InstanceGroupDeps, name: string, email: string): Promise<void> {
  await existing(collaborators, name);
  const { person } = await loadPerson(collaborators, email);
  if (!person.groups?.includes(name)) return;
  await updatePerson(collaborators, email, (now) => ({ ...now, groups: (now.groups ?? []).filter((group) => group !== name) }));
}

async function existing({ objects }: InstanceGroupDeps, name: string): Promise<StoredObject> {
  const found = await objects.get(keys.instanceGroup(name));
  if (!found) throw new SvcError("group.notFound", { name });
  return found;
}
