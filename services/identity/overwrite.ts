import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import type { ExportedUser, InstanceGroupJson } from "../../contract/routes/people/people.ts";
import { write } from "../../core/objects/write.ts";
import { deriveUsername } from "../../core/people/actor.ts";
import { instanceGroupObject, instanceGroupRoleObject } from "../../core/people/instance-group.ts";
import { type PersonRecord, personKey, userObject } from "../../core/people/person.ts";
import type { Uses } from "../uses.ts";
import { setInstanceGroupRole } from "./instance-groups.ts";
import { buildUserAddedWrites, deleteUser, listPersons, updatePerson } from "./users.ts";

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const lower = (email: string) => email.toLowerCase();

/** Throws `body.shape` if a name appears twice. */
function checkUnique(field: string, names: readonly string[]): void {
  const at = names.findIndex((name, index) => names.indexOf(name) < index);
  if (at >= 0) throw new SvcError("body.shape", { issues: [{ path: `${at}.${field}`, reason: "appears twice in the list" }] });
}

/** Returns a user in the form that `overwriteUsers` accepts. */
function exportUser({ email, username, superAdmin, name, company, disabled = false }: PersonRecord): ExportedUser {
  return {
    email,
    username,
    super_admin: superAdmin,
    verified: true,
    first_time_user: false,
    disabled,
    ...(name ? { name } : {}),
    ...(company ? { company } : {}),
  };
}

/** Returns all users in the form that `overwriteUsers` accepts, by e-mail address. */
export async function exportUsers({ objects }: Uses<"objects">): Promise<ExportedUser[]> {
  return (await listPersons({ objects })).map(exportUser);
}

/**
 * Replaces the users of the instance by those of a list: new users are created without a password, and users who are not in the list are
 * deleted as by `deleteUser`. Superadmins are processed first, so that there is always one. If it fails halfway, sending the list again
 * completes it. Throws `user.lastAdmin`, `body.shape`, `access.changedMeanwhile`.
 */
export async function overwriteUsers(
  deps: Uses<"objects" | "people" | "nowMs" | "instanceEventsUrl">,
  users: readonly ExportedUser[],
): Promise<void> {
  const { objects, nowMs } = deps;
  checkUnique(
    "email",
    users.map(({ email }) => lower(email)),
  );
  if (!users.some(({ super_admin, disabled }) => super_admin && !disabled)) throw new SvcError("user.lastAdmin", {});
  const before = new Map((await listPersons({ objects })).map((person) => [lower(person.email), person]));
  for (const request of [...users].sort((a, b) => Number(b.super_admin) - Number(a.super_admin))) {
    const { email, super_admin: superAdmin, name, company, disabled } = request;
    const fields = { superAdmin, ...(disabled ? { disabled } : {}), ...(name ? { name } : {}), ...(company ? { company } : {}) };
    const person = before.get(lower(email));
    if (person) {
      const changed = ({ name: _, company: __, disabled: ___, ...rest }: PersonRecord): PersonRecord => ({ ...rest, ...fields });
      if (!same(exportUser(person), exportUser(changed(person)))) await updatePerson({ objects }, person.email, changed);
    } else {
      const value = { email, username: request.username ?? deriveUsername(email), ...fields, joining: true, createdAtMs: nowMs() };
      await objects.transactWrite([
        write.put({ ...userObject.key(personKey(email)), value, version: randomUUID() }, "absent"),
        ...(await buildUserAddedWrites(deps, value)),
      ]);
    }
  }
  const wantedNames = new Set(users.map(({ email }) => lower(email)));
  for (const [email, person] of before) if (!wantedNames.has(email)) await deleteUser(deps, person.email);
}

/**
 * Replaces the groups of the instance, with their members, by those of a list. All members must be users. If it fails halfway, sending the
 * list again completes it. Throws `user.notFound`, `body.shape`, `access.changedMeanwhile`.
 */
export async function overwriteInstanceGroups({ objects }: Uses<"objects">, groupList: readonly InstanceGroupJson[]) {
  checkUnique(
    "name",
    groupList.map(({ name }) => name),
  );
  const persons = await listPersons({ objects });
  const existingEmails = new Set(persons.map(({ email }) => lower(email)));
  const unknownEmail = groupList.flatMap(({ emails = [] }) => emails).find((email) => !existingEmails.has(lower(email)));
  if (unknownEmail !== undefined) throw new SvcError("user.notFound", { email: unknownEmail });
  for (const { name, summary } of groupList) {
    const value = { name, ...(summary ? { summary } : {}) };
    // The version identifies the creation of a group, so an existing group retains it.
    if (await objects.update({ ...instanceGroupObject.key(name), value }, "present")) continue;
    await objects.put({ ...instanceGroupObject.key(name), value, version: randomUUID() });
  }
  for (const { email, groups = [] } of persons) {
    const next = groupList.filter(({ emails = [] }) => emails.some((one) => lower(one) === lower(email))).map(({ name }) => name);
    if (!same([...next].sort(), [...groups].sort())) {
      // The role is granted again below.
      const change = ({ roleGroups = [], ...person }: PersonRecord) => ({
        ...person,
        groups: next,
        roleGroups: roleGroups.filter((name) => next.includes(name)),
      });
      await updatePerson({ objects }, email, change);
    }
  }
  for (const { name, instance_role: role } of groupList) if (role !== undefined) await setInstanceGroupRole({ objects }, name, role);
  // These groups no longer have members.
  const wantedNames = new Set(groupList.map(({ name }) => name));
  for (const { sk, pk } of await objects.list(instanceGroupObject.partitionKey()))
    if (!wantedNames.has(sk)) await objects.transactWrite([write.remove({ pk, sk }), write.remove(instanceGroupRoleObject.key(sk))]);
}
