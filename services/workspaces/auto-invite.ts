import { isSvcError } from "../../contract/errors.ts";
import type { InviteJson } from "../../contract/routes/people/invite.ts";
import type { AutoInvite, AutoInviteRequest } from "../../contract/routes/workspaces/setting-schemas.ts";
import { instanceSettingObject } from "../../core/objects/setting.ts";
import { type StoredObject, write } from "../../core/objects/write.ts";
import {
  acceptsNewUser,
  autoInviteSetting,
  parseStoredAutoInvite,
  toAutoInvite,
  toStoredAutoInvite,
} from "../../core/people/auto-invite.ts";
import { inviteObject } from "../../core/people/membership.ts";
import { personKey } from "../../core/people/person.ts";
import { REQUIRE_KNOWN_USER } from "../../core/settings/instance.ts";
import { buildInstanceEventWrites } from "../outbox/instance-event.ts";
import { checkSettingSize } from "../settings/opaque.ts";
import { replaceSetting, type SettingEdit } from "../settings/replace-setting.ts";
import type { Uses } from "../uses.ts";
import { addMember } from "./add-member.ts";
import { listWorkspaceIds } from "./workspaces.ts";

/**
 * Sets the rule by which new users join a workspace automatically, and returns the setting; `undefined` if there is none. `adminEmail` selects
 * the domain. Throws `body.tooLarge`, `object.versionChanged`, `workspace.notFound` and `access.changedMeanwhile`.
 */
export async function setAutoInvite(
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  { request, adminEmail, ...edit }: { request: AutoInviteRequest; adminEmail: string } & SettingEdit,
): Promise<AutoInvite | undefined> {
  let autoInvite: AutoInvite | undefined;
  const build = (stored: StoredObject | undefined) => {
    autoInvite = toAutoInvite(request, adminEmail, stored && parseStoredAutoInvite(stored));
    checkSettingSize(autoInvite?.instance_groups, autoInvite?.instance_groups_roles);
    return autoInvite && toStoredAutoInvite(autoInvite);
  };
  await replaceSetting(deps, { workspace, name: "auto_invite", edit, build });
  return autoInvite;
}

/**
 * Returns whether a person whom the instance does not know may sign in: a workspace has invited them, or a superadmin has opened the
 * instance.
 */
export async function mayJoinInstance({ objects }: Uses<"objects">, email: string): Promise<boolean> {
  const invites = (await listWorkspaceIds(objects)).map((id) => inviteObject.key(id, personKey(email)));
  const [setting, ...invited] = await objects.batchGet([instanceSettingObject.key(REQUIRE_KNOWN_USER), ...invites], { consistent: true });
  return setting?.value === false || invited.some(Boolean);
}

/**
 * Adds a new user, or an invitation for them, to every workspace whose auto-invite setting matches. Repeating it continues where an earlier
 * call stopped.
 */
export async function joinWorkspaces(deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">, email: string): Promise<void> {
  const { objects } = deps;
  const ids = await listWorkspaceIds(objects);
  const settings = await objects.batchGet(
    ids.map((id) => autoInviteSetting.key(id)),
    { consistent: true },
  );
  for (const [index, id] of ids.entries()) {
    const setting = settings[index];
    const autoInvite = setting && parseStoredAutoInvite(setting);
    if (!autoInvite || !acceptsNewUser(autoInvite, email)) continue;
    if (autoInvite.mode === "add") await addOrInvite(deps, id, email, autoInvite.operator);
    else await inviteOnce(deps, id, email, autoInvite.operator);
  }
}

/**
 * Adds a user who is not a member yet. If another member has the username, the user gets an invitation and chooses a username when they
 * accept it.
 */
async function addOrInvite(
  deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">,
  id: string,
  email: string,
  operator: boolean,
): Promise<void> {
  try {
    await addMember(deps, id, { email, is_admin: false, operator }, { inherits: false });
  } catch (error) {
    if (!isSvcError(error)) throw error;
    if (error.code === "user.usernameTaken") await inviteOnce(deps, id, email, operator);
    else if (error.code !== "member.exists" && error.code !== "workspace.notFound") throw error;
  }
}

/** Invites a person to a workspace, unless they have an invitation. */
async function inviteOnce(
  deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">,
  id: string,
  email: string,
  operator: boolean,
): Promise<void> {
  const value: InviteJson = { workspace_id: id, email, is_admin: false, operator };
  await deps.objects.transactWrite([
    write.put({ ...inviteObject.key(id, personKey(email)), value }, "absent"),
    ...(await buildInstanceEventWrites(deps, [{ type: "UserInvitedWorkspace", data: { email, workspace: id } }])),
  ]);
}
