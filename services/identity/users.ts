import { randomUUID } from "node:crypto";
import type { People } from "../../aws/cognito/people.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import type { GlobalUserJson, NewUser, UserChange } from "../../contract/routes/people/people.ts";
import { keys } from "../../core/objects/keys.ts";
import { type ObjectWrite, type StoredObject, write } from "../../core/objects/write.ts";
import { usernameOf } from "../../core/people/actor.ts";
import { type PersonRecord, personKey, personSchema } from "../../core/people/person.ts";
import { removeMember } from "../workspaces/members.ts";
import { listMemberships } from "../workspaces/workspaces.ts";
import { deleteAllTokens } from "./tokens.ts";

interface UserDeps {
  objects: ObjectTable;
  people: People;
  nowMs: () => number;
}
type ReadUserDeps = Pick<UserDeps, "objects">;

/** The GlobalUser of api.md §1. */
export function toGlobalUserJson({ email, superAdmin, username, name, company, disabled = false }: PersonRecord): GlobalUserJson {
  return {
    email,
    login_type: "password",
    super_admin: superAdmin,
    verified: true,
    username,
    ...(name ? { name } : {}),
    ...(company ? { company } : {}),
    first_time_user: false,
    role_source: "manual",
    disabled,
  };
}

/** Throws `user.notFound`. */
export async function loadPerson({ objects }: ReadUserDeps, email: string): Promise<{ person: PersonRecord; stored: StoredObject }> {
  const stored = (await objects.get(keys.user(personKey(email)))) ?? (await objects.get(keys.oldUser(email)));
  if (!stored) throw new SvcError("user.notFound", { email });
  return { person: personSchema.parse(stored.value), stored };
}

export async function personExists({ objects }: ReadUserDeps, email: string): Promise<boolean> {
  const found = await objects.getMany([keys.user(personKey(email)), keys.oldUser(email)], { consistent: true });
  return found.some(Boolean);
}

export async function listPersons({ objects }: ReadUserDeps): Promise<PersonRecord[]> {
  const byEmail = new Map((await objects.list("USERS")).map(({ value }) => personSchema.parse(value)).map((one) => [one.email, one]));
  return [...byEmail.values()].sort((a, b) => a.email.localeCompare(b.email));
}

/** The record comes first: a password is never set for somebody who is there already. Throws `user.exists`, `user.invalidPassword`. */
export async function createUser({ objects, people, nowMs }: UserDeps, asked: NewUser): Promise<void> {
  const { email, password, super_admin: superAdmin, name, company } = asked;
  const value: PersonRecord = {
    email,
    username: usernameOf(email),
    superAdmin,
    ...(name ? { name } : {}),
    ...(company ? { company } : {}),
    joining: true,
    createdAtMs: nowMs(),
  };
  const exists = await personExists({ objects }, email);
  const key = keys.user(personKey(email));
  if (exists || !(await objects.put({ ...key, value, version: randomUUID() }, "absent"))) throw new SvcError("user.exists", { email });
  if (!password) return;
  try {
    await people.ensure(email, password);
  } catch (error) {
    await objects.remove(key);
    throw error;
  }
}

/** Works at once: every call reads the record. Throws `user.notFound`, `user.lastAdmin`, `access.changedMeanwhile`. */
export async function updateUser(collaborators: ReadUserDeps, email: string, asked: UserChange): Promise<void> {
  const { is_super_admin, name, disabled } = asked;
  const oneStays = is_super_admin === false || disabled ? await keepOneAdmin(collaborators, email) : [];
  const change = (person: PersonRecord) => ({
    ...person,
    superAdmin: is_super_admin ?? person.superAdmin,
    disabled: disabled ?? person.disabled ?? false,
    ...(name == null ? {} : { name }),
  });
  await updatePerson(collaborators, email, change, oneStays);
}

/** All or nothing with `also`. Throws `user.notFound`, `access.changedMeanwhile`. */
export async function updatePerson(
  { objects }: ReadUserDeps,
  email: string,
  change: (person: PersonRecord) => PersonRecord,
  also: ObjectWrite[] = [],
): Promise<void> {
  const { person, stored } = await loadPerson({ objects }, email);
  const key = keys.user(personKey(email));
  const put = { ...key, value: change(person), version: randomUUID() };
  // A record where release 0.1 kept it moves.
  const moved = stored.sk !== key.sk;
  const writes = moved ? [write.put(put, "absent"), write.remove(stored, "present")] : [write.put(put, unchanged(stored))];
  const refused = await objects.transact([...writes, ...also]);
  if (refused !== undefined) throw new SvcError("access.changedMeanwhile", {});
}

/**
 * Nobody is signed in from the first step on; what fails halfway is taken up by calling it again, because the record goes last. Throws
 * `user.notFound`, `user.lastAdmin`.
 */
export async function deleteUser(collaborators: UserDeps, email: string): Promise<void> {
  const { objects, people } = collaborators;
  const oneStays = await keepOneAdmin(collaborators, email);
  await updatePerson(collaborators, email, (person) => ({ ...person, disabled: true }), oneStays);
  await deleteAllTokens(collaborators, email);
  for (const { workspace, member } of await listMemberships(collaborators, email))
    await removeMember({ objects }, workspace.id, member.username);
  await people.remove(email);
  await objects.transact([write.remove(keys.oldUser(email)), write.remove(keys.user(personKey(email)))]);
}

/** The part of a transaction that keeps another superadmin as they are: two who end each other at once would leave none. Throws `user.lastAdmin`. */
async function keepOneAdmin(collaborators: ReadUserDeps, email: string): Promise<ObjectWrite[]> {
  const { person } = await loadPerson(collaborators, email);
  if (!person.superAdmin) return [];
  const other = (await collaborators.objects.list("USERS")).find(({ value }) => {
    const one = personSchema.parse(value);
    return one.superAdmin && !one.disabled && one.email.toLowerCase() !== email.toLowerCase();
  });
  if (!other) throw new SvcError("user.lastAdmin", {});
  return [write.check(other, unchanged(other))];
}

const unchanged = ({ version }: StoredObject) => (version === undefined ? ("unversioned" as const) : { version });
