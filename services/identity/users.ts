import { randomUUID } from "node:crypto";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import type { GlobalUserJson, NewUser, UserChange } from "../../contract/routes/people/people.ts";
import { favoritesObject } from "../../core/console/favorites.ts";
import { preferencesObject } from "../../core/console/preferences.ts";
import { ownViewsOf, viewObject } from "../../core/console/view.ts";
import { paginate } from "../../core/objects/page.ts";
import { type ObjectWrite, type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { type Actor, deriveUsername } from "../../core/people/actor.ts";
import { inviteObject } from "../../core/people/membership.ts";
import { isSuperAdmin, type PersonRecord, personKey, userObject } from "../../core/people/person.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";
import { buildInstanceEventWrites } from "../outbox/instance-event.ts";
import type { Uses } from "../uses.ts";
import { buildRemovalWrite, removeMember } from "../workspaces/members.ts";
import { listMemberships, listWorkspaceIds } from "../workspaces/workspaces.ts";
import { deleteAllChatAccounts } from "./chat-accounts/chat-accounts.ts";
import { deleteAllTokens } from "./tokens/tokens.ts";

/** Returns a user as the GlobalUser of api.md §1. */
function toGlobalUserJson(person: PersonRecord): GlobalUserJson {
  const { email, username, name, company, disabled = false } = person;
  return {
    email,
    login_type: "password",
    super_admin: isSuperAdmin(person),
    verified: true,
    username,
    ...(name ? { name } : {}),
    ...(company ? { company } : {}),
    first_time_user: false,
    role_source: "manual",
    disabled,
  };
}

/** Loads a user's record. Throws `user.notFound`. */
export async function loadPerson({ objects }: Uses<"objects">, email: string): Promise<{ person: PersonRecord; stored: StoredObject }> {
  const stored = await objects.get(userObject.key(personKey(email)));
  if (!stored) throw new SvcError("user.notFound", { email });
  return { person: userObject.parse(stored), stored };
}

/** Returns the user with an e-mail address; `undefined` if there is none. */
export async function findPerson(objects: ObjectStore, email: string): Promise<PersonRecord | undefined> {
  try {
    return (await loadPerson({ objects }, email)).person;
  } catch (error) {
    if (isSvcError(error) && error.code === "user.notFound") return undefined;
    throw error;
  }
}

/** Returns whether a user with this e-mail address exists. */
export async function personExists({ objects }: Uses<"objects">, email: string): Promise<boolean> {
  return (await objects.get(userObject.key(personKey(email)))) !== undefined;
}

/** Lists all users by e-mail address. */
export async function listPersons({ objects }: Uses<"objects">): Promise<PersonRecord[]> {
  const persons = userObject.parseReadable(await objects.list(userObject.partitionKey()));
  return persons.sort((a, b) => a.email.localeCompare(b.email));
}

/** A call that creates a user ends within this time, in milliseconds. */
const CREATE_MS = 30_000;

interface ListUsersQuery {
  active_only?: boolean | undefined;
  page?: number | undefined;
  per_page?: number | undefined;
}

/** Lists one page of the users by e-mail address; with `active_only`, without disabled users. */
export async function listUsers(deps: Uses<"objects">, query: ListUsersQuery): Promise<GlobalUserJson[]> {
  const found = (await listPersons(deps)).filter(({ disabled }) => !(query.active_only && disabled));
  return paginate(found, query).map(toGlobalUserJson);
}

/** Returns the caller's own user. A token or job may have fewer rights than its owner, which the reply shows. Throws `user.notFound`. */
export async function getOwnUser(deps: Uses<"objects">, actor: Actor): Promise<GlobalUserJson> {
  const { person } = await loadPerson(deps, actor.email);
  return { ...toGlobalUserJson(person), super_admin: actor.superAdmin };
}

/** Builds the event of a user who now exists. */
export const buildUserAddedWrites = (
  deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">,
  { email, username }: Pick<PersonRecord, "email" | "username">,
) => buildInstanceEventWrites(deps, [{ type: "UserAdded", data: { email, username } }]);

/**
 * Creates a user, with a password if one is given. The record is created first, so that the password of an existing user is never changed,
 * and marked as lacking a password until the password is stored. If the process dies in between, a repeated call completes the user. Throws
 * `user.exists`, `user.invalidPassword`, and `engine.busy` while another call may still be creating the user.
 */
export async function createUser(deps: Uses<"objects" | "people" | "nowMs" | "instanceEventsUrl">, request: NewUser): Promise<void> {
  const { objects, people, nowMs } = deps;
  const { email, password, super_admin: superAdmin, name, company } = request;
  const value: PersonRecord = {
    email,
    username: deriveUsername(email),
    superAdmin,
    ...(name ? { name } : {}),
    ...(company ? { company } : {}),
    joining: true,
    createdAtMs: nowMs(),
  };
  const key = userObject.key(personKey(email));
  const incomplete = await findIncompleteUser({ objects, nowMs }, email);
  const version = randomUUID();
  const first = password ? { ...value, passwordUntilMs: nowMs() + CREATE_MS } : value;
  const expect = incomplete ? unchangedSince(incomplete) : "absent";
  const exists = new SvcError("user.exists", { email });
  // A user without a password is complete. The event belongs to the write that completes the user.
  const added = await buildUserAddedWrites(deps, value);
  const refused = await objects.transactWrite([write.put({ ...key, value: first, version }, expect), ...(password ? [] : added)]);
  if (refused !== undefined) throw exists;
  if (!password) return;
  try {
    await people.ensureUser(email, password);
  } catch (error) {
    await objects.transactWrite([write.remove(key, { version })]);
    throw error;
  }
  const completed = [write.put({ ...key, value, version: randomUUID() }, { version }), ...added];
  if ((await objects.transactWrite(completed)) !== undefined) throw exists;
}

/** Returns the user whose creation died before the password was stored; `undefined` if there is no user. Throws `user.exists`, `engine.busy`. */
async function findIncompleteUser({ objects, nowMs }: Uses<"objects" | "nowMs">, email: string): Promise<StoredObject | undefined> {
  const found = await objects.get(userObject.key(personKey(email)));
  if (!found) return undefined;
  const { passwordUntilMs } = userObject.parse(found);
  if (passwordUntilMs === undefined) throw new SvcError("user.exists", { email });
  const leftMs = passwordUntilMs - nowMs();
  if (leftMs > 0) throw new SvcError("engine.busy", { retryAfterS: Math.ceil(leftMs / 1000) });
  return found;
}

/**
 * Changes a user. The change takes effect at once, because every call reads the record. Throws `user.notFound`, `user.lastAdmin`,
 * `access.changedMeanwhile`.
 */
export async function updateUser(deps: Uses<"objects">, email: string, request: UserChange): Promise<void> {
  const { is_super_admin, name, disabled } = request;
  const otherAdminCheck = is_super_admin === false || disabled ? await buildOtherAdminCheck(deps, email) : [];
  const change = (person: PersonRecord) => ({
    ...person,
    superAdmin: is_super_admin ?? person.superAdmin,
    disabled: disabled ?? person.disabled ?? false,
    ...(name == null ? {} : { name }),
  });
  await updatePerson(deps, email, change, otherAdminCheck);
}

/**
 * Changes a user's record in one transaction with `also`, which may depend on the record, and retries if another writer interferes. The waiting
 * runs of a user who is disabled or no longer a superadmin, and has no other rights, end a moment later. Throws `user.notFound`,
 * `access.changedMeanwhile`.
 */
export async function updatePerson(
  { objects }: Uses<"objects">,
  email: string,
  change: (person: PersonRecord) => PersonRecord,
  also: ObjectWrite[] | ((person: PersonRecord) => Promise<ObjectWrite[]>) = [],
): Promise<void> {
  const conflict = () => new SvcError("access.changedMeanwhile", {});
  const key = userObject.key(personKey(email));
  await retryOnConflict(async () => {
    const { person, stored } = await loadPerson({ objects }, email);
    const value = change(person);
    const writes = [write.put({ ...key, value, version: randomUUID() }, unchangedSince(stored))];
    if (losesRights(person, value)) writes.push(buildRemovalWrite(email));
    const refused = await objects.transactWrite([...writes, ...(typeof also === "function" ? await also(person) : also)]);
    // Writes that were built from the record are built again. Others would be refused again.
    if (refused !== undefined && refused >= writes.length && typeof also !== "function") throw conflict();
    return refused === undefined ? { done: undefined } : undefined;
  }, conflict);
}

const losesRights = (before: PersonRecord, after: PersonRecord) =>
  (after.disabled && !before.disabled) || (isSuperAdmin(before) && !isSuperAdmin(after));

/**
 * Deletes a user with what the user stored for the console, except shared views. The user is disabled first, and the record is deleted last, so that another call completes one that failed halfway.
 * Throws `user.notFound`, `user.lastAdmin`.
 */
export async function deleteUser(deps: Uses<"objects" | "people">, email: string): Promise<void> {
  const { objects, people } = deps;
  const otherAdminCheck = await buildOtherAdminCheck(deps, email);
  await updatePerson(deps, email, (person) => ({ ...person, disabled: true }), otherAdminCheck);
  await deleteAllTokens(deps, email);
  await deleteAllChatAccounts(deps, email);
  for (const { workspace, member } of await listMemberships(deps, email)) await removeMember({ objects }, workspace.id, member.username);
  // An invitation would let them sign in again with an external provider.
  const person = personKey(email);
  for (const id of await listWorkspaceIds(objects)) {
    for (const key of [inviteObject.key(id, person), favoritesObject.key(id, person)]) await objects.deleteItem(key);
    for (const view of await objects.list(viewObject.partitionKey(id), { beginsWith: ownViewsOf(person) })) await objects.deleteItem(view);
  }
  await objects.deleteItem(preferencesObject.key(person));
  await people.deleteUser(email);
  await objects.deleteItem(userObject.key(person));
}

/**
 * Builds the condition that another superadmin stays unchanged: otherwise two superadmins who delete each other at the same time would
 * leave none. Throws `user.lastAdmin`.
 */
async function buildOtherAdminCheck(deps: Uses<"objects">, email: string): Promise<ObjectWrite[]> {
  const { person } = await loadPerson(deps, email);
  if (!person.superAdmin) return [];
  const other = (await deps.objects.list(userObject.partitionKey())).find((object) =>
    userObject
      .parseReadable([object])
      .some((candidate) => candidate.superAdmin && !candidate.disabled && candidate.email.toLowerCase() !== email.toLowerCase()),
  );
  if (!other) throw new SvcError("user.lastAdmin", {});
  return [write.check(other, unchangedSince(other))];
}
