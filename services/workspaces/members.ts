import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { MemberChange } from "../../contract/routes/people/members.ts";
import type { UserJson } from "../../contract/routes/people/people.ts";
import { type ObjectWrite, type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../core/people/actor.ts";
import { formerUsernameObject, removalObject, usernameObject } from "../../core/people/membership.ts";
import { type PersonRecord, personKey, userObject } from "../../core/people/person.ts";
import type { Role } from "../../core/people/rights.ts";
import { type Access, deriveRights, includesRight, type Member, memberObject, revokeGrants } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { changeAccess, loadAccess } from "./access.ts";

export const toRole = ({ is_admin, operator }: { is_admin?: boolean | null | undefined; operator?: boolean | null | undefined }): Role =>
  is_admin ? "admin" : operator ? "operator" : "developer";

/** Loads the members of a workspace, disabled ones included. */
export async function loadMembers(objects: ObjectStore, workspace: string): Promise<Member[]> {
  return memberObject.parseReadable(await objects.list(memberObject.partitionKey(workspace)));
}

/** The reader of users. Without an actor, it is the service itself, which needs no folders. */
interface UserReader {
  actor: Actor | undefined;
  workspace: string;
}

/** Returns the folders whose permissions a reader may see. */
const listVisibleFolders = ({ actor, workspace }: UserReader, { folders }: Access): string[] =>
  Object.keys(folders).filter((name) => actor !== undefined && may(actor, actions.readFolder.access, { workspace, path: `f/${name}` }));

/** Returns a member as the User of api.md §1, with the member's right to each of `folders`. */
function toUserJson(
  workspace: string,
  member: Member,
  { access, folders }: { access: Access; folders: readonly string[] },
  person: PersonRecord | undefined,
): UserJson {
  const { email, username, role, disabled = false, createdAtMs } = member;
  const rights = deriveRights(workspace, member, access, person?.groups);
  const isAdmin = role === "admin" || (person?.superAdmin ?? false);
  const having = (right: "read" | "write" | "owner") =>
    folders
      .filter((name) => isAdmin || includesRight(Object.hasOwn(rights.folders, name) ? rights.folders[name] : undefined, right))
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

/** Loads the records of users by their e-mail addresses, in the same order. */
export async function loadPersons(objects: ObjectStore, emails: string[]): Promise<(PersonRecord | undefined)[]> {
  const keys = emails.map((email) => userObject.key(personKey(email)));
  const found = await objects.batchGet(keys, { consistent: true });
  return found.map((record) => record && userObject.parse(record));
}

/** Returns the caller as a user of a workspace. A superadmin is a user of every workspace. Throws `workspace.notFound`. */
export async function getCurrentUser({ objects }: Uses<"objects">, actor: Actor, workspace: string): Promise<UserJson> {
  const [[found, stored], [record], { access }] = await Promise.all([
    objects.batchGet([workspaceObject.key(workspace), memberObject.key(workspace, personKey(actor.email))], { consistent: true }),
    loadPersons(objects, [actor.email]),
    loadAccess(objects, workspace),
  ]);
  if (!found) throw new SvcError("workspace.notFound", { workspace });
  const member: Member = stored
    ? memberObject.parse(stored)
    : { email: actor.email, username: actor.username, role: actor.rights?.role ?? "admin", createdAtMs: record?.createdAtMs ?? 0 };
  return toUserJson(workspace, member, { access, folders: Object.keys(access.folders) }, record);
}

/** Lists the members of a workspace as users, by username. */
export async function listMembers({ objects }: Uses<"objects">, reader: UserReader): Promise<UserJson[]> {
  const { workspace } = reader;
  const [members, { access }] = await Promise.all([loadMembers(objects, workspace), loadAccess(objects, workspace)]);
  const persons = await loadPersons(
    objects,
    members.map(({ email }) => email),
  );
  const folders = listVisibleFolders(reader, access);
  return members
    .map((member, index) => toUserJson(workspace, member, { access, folders }, persons[index]))
    .sort((a, b) => a.username.localeCompare(b.username));
}

/** Lists the usernames of a workspace's members, sorted. */
export async function listUsernames({ objects }: Uses<"objects">, workspace: string): Promise<string[]> {
  return (await loadMembers(objects, workspace)).map(({ username }) => username).sort();
}

/** Returns the member with this username. Throws `member.notFound`. */
export async function findMember(deps: Uses<"objects">, workspace: string, username: string): Promise<Member> {
  return memberObject.parse(await findStoredMember(deps, workspace, username));
}

async function findStoredMember({ objects }: Uses<"objects">, workspace: string, username: string): Promise<StoredObject> {
  const claim = await objects.get(usernameObject.key(workspace, username));
  const email = claim && usernameObject.parse(claim).email;
  const found = email === undefined ? undefined : await objects.get(memberObject.key(workspace, personKey(email)));
  if (!found) throw new SvcError("member.notFound", { username });
  return found;
}

/** Returns the member with this username as a user. Throws `member.notFound`. */
export async function getMember({ objects }: Uses<"objects">, reader: WorkspaceCaller, username: string): Promise<UserJson> {
  const { workspace } = reader;
  const [member, { access }] = await Promise.all([findMember({ objects }, workspace, username), loadAccess(objects, workspace)]);
  const folders = listVisibleFolders(reader, access);
  return toUserJson(workspace, member, { access, folders }, (await loadPersons(objects, [member.email]))[0]);
}

/** Returns whether a person is a member of a workspace, disabled or not. */
export async function isMember({ objects }: Uses<"objects">, workspace: string, email: string): Promise<boolean> {
  return (await objects.get(memberObject.key(workspace, personKey(email)))) !== undefined;
}

/**
 * Changes a member's role or state. Two concurrent changes both take effect. Throws `member.notFound`, `access.changedMeanwhile`.
 */
export async function updateMember(deps: Uses<"objects">, workspace: string, username: string, request: MemberChange): Promise<void> {
  await retryOnConflict(
    async () => {
      const stored = await findStoredMember(deps, workspace, username);
      const value = applyMemberChange(memberObject.parse(stored), request);
      const change = { pk: stored.pk, sk: stored.sk, value, version: randomUUID() };
      const removal = value.disabled ? [buildRemovalWrite(value.email, workspace)] : [];
      const refused = await deps.objects.transactWrite([write.update(change, unchangedSince(stored)), ...removal]);
      return refused === undefined ? { done: undefined } : undefined;
    },
    () => new SvcError("access.changedMeanwhile", {}),
  );
}

function applyMemberChange(member: Member, { is_admin, operator, disabled }: MemberChange): Member {
  const named = is_admin != null || operator != null;
  const role = named
    ? toRole({ is_admin: is_admin ?? (member.role === "admin" && !operator), operator: operator ?? member.role === "operator" })
    : member.role;
  return { ...member, role, disabled: disabled ?? member.disabled ?? false };
}

/**
 * Builds the request to end the waiting runs of a user who loses all rights in a workspace, or without one in all. Housekeeping ends them; none of them
 * would begin.
 */
export const buildRemovalWrite = (email: string, workspace = ""): ObjectWrite =>
  write.put({
    ...removalObject.key(workspace, personKey(email)),
    version: randomUUID(),
    expiresAtS: Math.ceil(Date.now() / 1000) + REMOVAL_S,
  });
/** A request that cannot be completed, because a run cannot be ended, expires after this time. */
const REMOVAL_S = 24 * 3600;

/** Removes the caller from a workspace. Throws `member.notFound` for a caller who is not a member: another member may have the same username. */
export async function leaveWorkspace(deps: Uses<"objects">, { actor, workspace }: WorkspaceCaller): Promise<void> {
  if (!actor.rights) throw new SvcError("member.notFound", { username: actor.username });
  await removeMember(deps, workspace, actor.username);
}

/**
 * Removes a member with every right that was granted to the username, and records the former owner of the username. The member's waiting runs end
 * a moment later. Throws `member.notFound`.
 */
export async function removeMember({ objects }: Uses<"objects">, workspace: string, username: string): Promise<void> {
  const member = await findMember({ objects }, workspace, username);
  await changeAccess(objects, workspace, (access) => revokeGrants(access, `u/${member.username}`), {
    by: "bounded",
    also: [
      write.remove(memberObject.key(workspace, personKey(member.email)), "present"),
      write.remove(usernameObject.key(workspace, member.username)),
      write.put({ ...formerUsernameObject.key(workspace, member.username), version: personKey(member.email) }),
      buildRemovalWrite(member.email, workspace),
    ],
    refused: () => new SvcError("member.notFound", { username }),
  });
}
