import { randomUUID } from "node:crypto";
import type { People } from "../../aws/cognito/people.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import type { ExportedUser, InstanceGroupJson } from "../../contract/routes/people/people.ts";
import { keys } from "../../core/objects/keys.ts";
import { usernameOf } from "../../core/people/actor.ts";
import { type PersonRecord, personKey } from "../../core/people/person.ts";
import { deleteUser, listPersons, updatePerson } from "./users.ts";

interface OverwriteDeps {
  objects: ObjectTable;
  people: People;
  nowMs: () => number;
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const lower = (email: string) => email.toLowerCase();

/** Throws `body.shape` where something is named twice. */
function onlyOnce(field: string, names: readonly string[]): void {
  const at = names.findIndex((name, index) => names.indexOf(name) < index);
  if (at >= 0) throw new SvcError("body.shape", { issues: [{ path: `${at}.${field}`, reason: "appears twice in the list" }] });
}

export function exportUser({ email, username, superAdmin, name, company, disabled = false }: PersonRecord): ExportedUser {
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

/**
 * Makes the users of the instance those of the list: who is new is made, without a password; who is not in it is deleted with all that
 * `deleteUser` says. Superadmins come first, so that there is always one. What fails halfway is finished by sending the list again. Throws
 * `user.lastAdmin`, `body.shape`, `access.changedMeanwhile`.
 */
export async function overwriteUsers(collaborators: OverwriteDeps, wanted: readonly ExportedUser[]): Promise<void> {
  const { objects, nowMs } = collaborators;
  onlyOnce(
    "email",
    wanted.map(({ email }) => lower(email)),
  );
  if (!wanted.some(({ super_admin, disabled }) => super_admin && !disabled)) throw new SvcError("user.lastAdmin", {});
  const before = new Map((await listPersons({ objects })).map((person) => [lower(person.email), person]));
  for (const asked of [...wanted].sort((a, b) => Number(b.super_admin) - Number(a.super_admin))) {
    const { email, super_admin: superAdmin, name, company, disabled } = asked;
    const fields = { superAdmin, ...(disabled ? { disabled } : {}), ...(name ? { name } : {}), ...(company ? { company } : {}) };
    const person = before.get(lower(email));
    if (person) {
      const changed = ({ name: _, company: __, disabled: ___, ...rest }: PersonRecord): PersonRecord => ({ ...rest, ...fields });
      if (!same(exportUser(person), exportUser(changed(person)))) await updatePerson({ objects }, person.email, changed);
    } else {
      const value = { email, username: asked.username ?? usernameOf(email), ...fields, joining: true, createdAtMs: nowMs() };
      await objects.put({ ...keys.user(personKey(email)), value, version: randomUUID() }, "absent");
    }
  }
  const kept = new Set(wanted.map(({ email }) => lower(email)));
  for (const [email, person] of before) if (!kept.has(email)) await deleteUser(collaborators, person.email);
}

/**
 * Makes the groups of the instance, with their members, those of the list. Everybody named must be a user. What fails halfway is finished
 * by sending the list again. Throws `user.notFound`, `body.shape`, `access.changedMeanwhile`.
 */
export async function overwriteInstanceGroups({ objects }: Pick<OverwriteDeps, "objects">, wanted: readonly InstanceGroupJson[]) {
  onlyOnce(
    "name",
    wanted.map(({ name }) => name),
  );
  const persons = await listPersons({ objects });
  const known = new Set(persons.map(({ email }) => lower(email)));
  const stranger = wanted.flatMap(({ emails = [] }) => emails).find((email) => !known.has(lower(email)));
  if (stranger !== undefined) throw new SvcError("user.notFound", { email: stranger });
  for (const { name, summary } of wanted) {
    const value = { name, ...(summary ? { summary } : {}) };
    await objects.put({ ...keys.instanceGroup(name), value, version: randomUUID() });
  }
  for (const { email, groups = [] } of persons) {
    const next = wanted.filter(({ emails = [] }) => emails.some((one) => lower(one) === lower(email))).map(({ name }) => name);
    if (!same([...next].sort(), [...groups].sort())) await updatePerson({ objects }, email, (person) => ({ ...person, groups: next }));
  }
  // Empty by now.
  const kept = new Set(wanted.map(({ name }) => name));
  for (const { sk, pk } of await objects.list(keys.instanceGroup("").pk)) if (!kept.has(sk)) await objects.remove({ pk, sk });
}
