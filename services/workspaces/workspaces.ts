import { randomUUID } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import type { NewWorkspace, WorkspaceJson } from "../../contract/routes/workspaces/workspace-schemas.ts";
import { requireSettingVersion, versionOfValue } from "../../core/objects/setting-versions.ts";
import { createVersion, SERVICE } from "../../core/objects/version.ts";
import { type Expectation, type ObjectChange, unchangedSince, write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { inviteObject, usernameObject } from "../../core/people/membership.ts";
import { personKey } from "../../core/people/person.ts";
import { accessObject, type Member, memberObject, noAccess } from "../../core/permissions/access.ts";
import { deletedWorkspaceObject } from "../../core/workspaces/deleted.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";
import { buildInstanceEventWrites } from "../outbox/instance-event.ts";
import type { SettingEdit } from "../settings/replace-setting.ts";
import type { Uses } from "../uses.ts";

/** A new workspace and the person who creates it. */
interface WorkspaceCreation {
  email: string;
  /** The creator's name in the workspace. */
  username: string;
  workspace: Omit<WorkspaceJson, "owner">;
}

/** Builds the writes that create a workspace with its creator as admin. */
export function buildWorkspaceWrites(request: WorkspaceCreation, nowMs: number) {
  const { email, username, workspace } = request;
  const value: WorkspaceJson = { ...workspace, owner: email };
  return [
    write.check(deletedWorkspaceObject.key(workspace.id), "absent"),
    write.put({ ...workspaceObject.key(workspace.id), value }, "absent"),
    write.put({ ...accessObject.key(workspace.id), value: noAccess, version: "new" }, "absent"),
    ...buildMemberWrites(workspace.id, { email, username, role: "admin", createdAtMs: nowMs }),
  ];
}

/** Builds the writes that create a workspace, with the event of its creator, who joins it. */
export async function buildNewWorkspaceWrites(deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">, request: WorkspaceCreation) {
  const { email, username, workspace } = request;
  const joined = { type: "UserJoinedWorkspace" as const, data: { email, workspace: workspace.id, username } };
  return [...buildWorkspaceWrites(request, deps.nowMs()), ...(await buildInstanceEventWrites(deps, [joined]))];
}

/** Builds the writes that create a member. The first is refused if the person is already a member, the second if the username is taken. */
export function buildMemberWrites(workspace: string, member: Member) {
  return [
    write.put({ ...memberObject.key(workspace, personKey(member.email)), value: member }, "absent"),
    write.put({ ...usernameObject.key(workspace, member.username), value: { email: member.email } }, "absent"),
  ];
}

/** Creates a workspace with the caller as admin. Throws `workspace.exists`, `workspace.beingDeleted`. */
export async function createWorkspace(
  deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">,
  actor: Actor,
  request: NewWorkspace,
): Promise<void> {
  const { id, name, color, username = actor.username } = request;
  const workspace = { id, name, ...(color ? { color } : {}) };
  const writes = await buildNewWorkspaceWrites(deps, { email: actor.email, username, workspace });
  const refused = await deps.objects.transactWrite(writes);
  if (refused !== undefined) throw new SvcError(refused === 0 ? "workspace.beingDeleted" : "workspace.exists", { workspace: id });
}

/**
 * Builds the write that changes a workspace's record, on condition that it has not changed since it was read. Throws `workspace.notFound`.
 */
export async function buildWorkspaceUpdate(
  { objects }: Uses<"objects">,
  workspace: string,
  change: (record: WorkspaceJson) => WorkspaceJson,
): Promise<{ change: ObjectChange; expect: Expectation }> {
  const found = await objects.get(workspaceObject.key(workspace));
  if (!found) throw new SvcError("workspace.notFound", { workspace });
  const value = change(workspaceObject.parse(found));
  return {
    change: { ...workspaceObject.key(workspace), value, version: randomUUID() },
    expect: unchangedSince(found),
  };
}

/**
 * Sets a field of a workspace's record and retries when another writer was first; `undefined` removes it. Throws `object.versionChanged`,
 * `workspace.notFound`, `access.changedMeanwhile`.
 */
async function setField(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  workspace: string,
  { name, value }: { name: "name"; value: string } | { name: "color"; value: string | undefined },
  { by = SERVICE, expected }: SettingEdit,
): Promise<void> {
  await retryOnConflict(
    async () => {
      const found = await objects.get(workspaceObject.key(workspace));
      if (!found) throw new SvcError("workspace.notFound", { workspace });
      const { [name]: before, ...record } = workspaceObject.parse(found);
      requireSettingVersion(found, { name, version: versionOfValue(before), expected });
      const change = {
        ...workspaceObject.key(workspace),
        value: { ...record, ...defined({ [name]: value }) },
        ...createVersion(by, nowMs()),
      };
      return (await objects.update(change, unchangedSince(found))) ? { done: undefined } : undefined;
    },
    () => new SvcError("access.changedMeanwhile", {}),
  );
}

/** Changes the name of a workspace. Throws as `setField` does. */
export const renameWorkspace = (deps: Uses<"objects" | "nowMs">, workspace: string, name: string, edit: SettingEdit = {}): Promise<void> =>
  setField(deps, workspace, { name: "name", value: name }, edit);

/** Sets the colour of a workspace. An empty or absent colour removes it. Throws as `setField` does. */
export const setWorkspaceColor = (
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  color: string | null | undefined,
  edit: SettingEdit = {},
): Promise<void> => setField(deps, workspace, { name: "color", value: color || undefined }, edit);

/** Lists the workspaces of which a person is a member, each with the membership. */
export async function listMemberships(
  { objects }: Uses<"objects">,
  email: string,
): Promise<{ workspace: WorkspaceJson; member: Member }[]> {
  const all = await listAllWorkspaces({ objects });
  const members = await objects.batchGet(all.map(({ id }) => memberObject.key(id, personKey(email))));
  return all.flatMap((workspace, index) => {
    const found = members[index];
    return found ? [{ workspace, member: memberObject.parse(found) }] : [];
  });
}

/** A workspace with the caller's membership. */
interface UserWorkspaceJson {
  id: string;
  name: string;
  username: string;
  color: string;
  disabled: boolean;
  is_dev_workspace: boolean;
}

/** Lists the workspaces of which the caller is a member, without archived ones; for a token that is bound to a workspace, only that one. */
export async function listUserWorkspaces(deps: Uses<"objects">, actor: Actor): Promise<UserWorkspaceJson[]> {
  const memberships = await listMemberships(deps, actor.email);
  return memberships
    .filter(({ workspace: { id, deleted } }) => !deleted && (actor.workspace ?? id) === id)
    .map(({ workspace: { id, name, color = "" }, member: { username, disabled = false } }) => ({
      id,
      name,
      username,
      color,
      disabled,
      is_dev_workspace: false,
    }));
}

/** Lists the ids of all workspaces, archived ones included. */
export const listWorkspaceIds = async (objects: Pick<ObjectStore, "list">): Promise<string[]> =>
  (await objects.list(workspaceObject.partitionKey())).map(({ sk }) => sk);

/**
 * Lists all workspaces, archived ones included. Throws `UnreadableRecordError`: a workspace that was left out would count as deleted, and
 * housekeeping would cancel its jobs.
 */
export async function listAllWorkspaces({ objects }: Uses<"objects">): Promise<WorkspaceJson[]> {
  return (await objects.list(workspaceObject.partitionKey())).map((found) => workspaceObject.parse(found));
}

/**
 * Lists the workspaces that the caller may use: all for a superadmin, otherwise those of which the caller is a member, and only its own
 * workspace for a token that is bound to one. Archived workspaces are omitted.
 */
export async function listWorkspaces(deps: Uses<"objects">, actor: Actor): Promise<WorkspaceJson[]> {
  const found = actor.superAdmin
    ? await listAllWorkspaces(deps)
    : (await listMemberships(deps, actor.email)).filter(({ member }) => !member.disabled).map(({ workspace }) => workspace);
  return found.filter(({ id, deleted }) => !deleted && (actor.workspace === undefined || actor.workspace === id));
}

/** Returns whether a workspace exists; false for callers who may not see it. */
export async function workspaceExists({ objects }: Uses<"objects">, actor: Actor, id: string): Promise<boolean> {
  const [workspace, member] = await objects.batchGet([workspaceObject.key(id), memberObject.key(id, personKey(actor.email))], {
    consistent: true,
  });
  return workspace !== undefined && (actor.superAdmin || member !== undefined) && (actor.workspace === undefined || actor.workspace === id);
}

/** Returns whether a username is taken in a workspace; false for callers who are neither members of it nor invited. */
export async function usernameExists({ objects }: Uses<"objects">, actor: Actor, id: string, username: string): Promise<boolean> {
  const person = personKey(actor.email);
  const keys = [usernameObject.key(id, username), workspaceObject.key(id), memberObject.key(id, person), inviteObject.key(id, person)];
  const [taken, workspace, member, invited] = await objects.batchGet(keys, { consistent: true });
  const knows = (actor.superAdmin || member || invited) && (actor.workspace === undefined || actor.workspace === id);
  return Boolean(taken && workspace && knows);
}
