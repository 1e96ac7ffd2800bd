import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import type { MemberChange, NewMember } from "../../contract/routes/people/members.ts";
import type { UserJson } from "../../contract/routes/people/people.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import { type Actor, usernameOf } from "../../core/people/actor.ts";
import { type PersonRecord, personKey, personSchema } from "../../core/people/person.ts";
import type { Role } from "../../core/people/rights.ts";
import { type Access, atLeast, deriveRights, type Member, memberSchema, revokeGrants } from "../../core/permissions/access.ts";
import { changeAccess, ensureAccess, loadAccess } from "./access.ts";
import { buildMemberWrites } from "./workspaces.ts";

interface Collaborators {
  objects: ObjectTable;
  nowMs: () => number;
}

const roleOf = ({ is_admin, operator }: { is_admin?: boolean | null | undefined; operator?: boolean | null | undefined }): Role =>
  is_admin ? "admin" : operator ? "operator" : "developer";

export async function loadMembers(objects: ObjectTable, workspace: string): Promise<Member[]> {
  return memberSchema.array().parse((await objects.list(keys.member(workspace, "").pk)).map(({ value }) => value));
}

/** The User of api.md §1. */
function userJson(workspace: string, member: Member, access: Access, person: PersonRecord | undefined): UserJson {
  const { email, username, role, disabled = false, createdAtMs } = member;
  const rights = deriveRights(workspace, member, access, person?.groups);
  const isAdmin = role === "admin" || (person?.superAdmin ?? false);
  const having = (wanted: "read" | "write" | "owner") =>
    Object.keys(access.folders)
      .filter((name) => isAdmin || atLeast(Object.hasOwn(rights.folders, name) ? rights.folders[name] : undefined, wanted))
      .sort();
  return {
    email,
    username,
    is_admin: isAdmin,
    ...(person?.name ? { name: person.name } : {}),
    is_super_admin: person?.superAdmin ?? false,
    created_at: new Date(createdAtMs).toISOString(),
    operator: role === "operator",
    disabled: disabled || (person?.disabled ?? false),
    groups: rights.groups,
    folders: role === "operator" && !isAdmin ? [] : having("write"),
    folders_read: having("read"),
    folders_owners: role === "operator" && !isAdmin ? [] : having("owner"),
  };
}

/** Their records; those of release 0.1 stand under the addresses. */
export async function loadPersons(objects: ObjectTable, emails: string[]): Promise<(PersonRecord | undefined)[]> {
  const wanted = [...emails.map((email) => keys.user(personKey(email))), ...emails.map((email) => keys.oldUser(email))];
  const found = await objects.getMany(wanted, { consistent: true });
  return emails.map((_, index) => {
    const record = found[index] ?? found[emails.length + index];
    return record && personSchema.parse(record.value);
  });
}

/** Returns the caller as a user of a workspace; a superadmin is one in every workspace. Throws `workspace.notFound`. */
export async function getCurrentUser({ objects }: Collaborators, actor: Actor, workspace: string): Promise<UserJson> {
  const [[found, stored], [record], { access }] = await Promise.all([
    objects.getMany([keys.workspace(workspace), keys.member(workspace, personKey(actor.email))], { consistent: true }),
    loadPersons(objects, [actor.email]),
    loadAccess(objects, workspace),
  ]);
  if (!found) throw new SvcError("workspace.notFound", { workspace });
  const member: Member = stored
    ? memberSchema.parse(stored.value)
    : { email: actor.email, username: actor.username, role: "admin", createdAtMs: record?.createdAtMs ?? 0 };
  return userJson(workspace, member, access, record);
}

export async function listMembers({ objects }: Collaborators, workspace: string): Promise<UserJson[]> {
  const [members, { access }] = await Promise.all([loadMembers(objects, workspace), loadAccess(objects, workspace)]);
  const persons = await loadPersons(
    objects,
    members.map(({ email }) => email),
  );
  return members
    .map((member, index) => userJson(workspace, member, access, persons[index]))
    .sort((a, b) => a.username.localeCompare(b.username));
}

/** Throws `member.notFound`. */
export async function findMember({ objects }: Pick<Collaborators, "objects">, workspace: string, username: string): Promise<Member> {
  const claim = await objects.get(keys.username(workspace, username));
  const email = (claim?.value as { email?: string } | undefined)?.email;
  const found = email === undefined ? undefined : await objects.get(keys.member(workspace, personKey(email)));
  if (!found) throw new SvcError("member.notFound", { username });
  return memberSchema.parse(found.value);
}

/** Throws `member.notFound`. */
export async function getMember({ objects }: Collaborators, workspace: string, username: string): Promise<UserJson> {
  const [member, { access }] = await Promise.all([findMember({ objects }, workspace, username), loadAccess(objects, workspace)]);
  return userJson(workspace, member, access, (await loadPersons(objects, [member.email]))[0]);
}

/**
 * Puts somebody into a workspace; who is no user yet becomes one who cannot sign in before getting a password. With the username of
 * somebody who has left comes all that lies at `u/<username>/…`: only an admin who names it gives it to somebody else (`inherits`).
 * Throws `member.exists`, `user.usernameTaken`, `workspace.notFound`.
 */
export async function addMember(
  { objects, nowMs }: Collaborators,
  workspace: string,
  asked: NewMember,
  { inherits }: { inherits: boolean },
): Promise<void> {
  const { email } = asked;
  const createdAtMs = nowMs();
  const username = asked.username ?? usernameOf(email);
  if (await isMember({ objects }, workspace, email)) throw new SvcError("member.exists", { email });
  const newcomer: PersonRecord = { email, username: usernameOf(email), superAdmin: false, createdAtMs };
  // A user of release 0.1 is stored under another key and is not replaced.
  const old = await objects.get(keys.oldUser(email));
  if (!old) await objects.put({ ...keys.user(personKey(email)), value: newcomer, version: randomUUID() }, "absent");
  await ensureAccess(objects, workspace);
  const former = keys.formerUsername(workspace, username);
  const comesBack = (await objects.get(former))?.version === personKey(email);
  const refused = await objects.transact([
    write.check(keys.workspace(workspace), "present"),
    ...buildMemberWrites(workspace, { email, username, role: roleOf(asked), createdAtMs }),
    write.remove(keys.invite(workspace, personKey(email))),
    ...(inherits ? [] : [write.check(former, comesBack ? { version: personKey(email) } : "absent")]),
  ]);
  if (refused === 0) throw new SvcError("workspace.notFound", { workspace });
  if (refused === 1) throw new SvcError("member.exists", { email });
  if (refused !== undefined) throw new SvcError("user.usernameTaken", { username });
}

export async function isMember({ objects }: Pick<Collaborators, "objects">, workspace: string, email: string): Promise<boolean> {
  return (await objects.get(keys.member(workspace, personKey(email)))) !== undefined;
}

/** Throws `member.notFound`. Of two changes at once the later one stands. */
export async function updateMember({ objects }: Collaborators, workspace: string, username: string, asked: MemberChange): Promise<void> {
  const member = await findMember({ objects }, workspace, username);
  const named = asked.is_admin != null || asked.operator != null;
  const role = named
    ? roleOf({
        is_admin: asked.is_admin ?? (member.role === "admin" && !asked.operator),
        operator: asked.operator ?? member.role === "operator",
      })
    : member.role;
  const value: Member = { ...member, role, disabled: asked.disabled ?? member.disabled ?? false };
  const changed = await objects.update({ ...keys.member(workspace, personKey(member.email)), value }, "present");
  if (!changed) throw new SvcError("member.notFound", { username });
}

/** Takes somebody out, with every right given to the name, and remembers whose it was. Throws `member.notFound`. */
export async function removeMember({ objects }: Pick<Collaborators, "objects">, workspace: string, username: string): Promise<void> {
  const member = await findMember({ objects }, workspace, username);
  await changeAccess(
    objects,
    workspace,
    (access) => revokeGrants(access, `u/${member.username}`),
    [
      write.remove(keys.member(workspace, personKey(member.email)), "present"),
      write.remove(keys.username(workspace, member.username)),
      write.put({ ...keys.formerUsername(workspace, member.username), version: personKey(member.email) }),
    ],
    () => new SvcError("member.notFound", { username }),
  );
}
