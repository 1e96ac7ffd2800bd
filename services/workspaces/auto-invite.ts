import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { isSvcError } from "../../contract/errors.ts";
import type { InviteJson } from "../../contract/routes/people/members.ts";
import { autoInviteSchema } from "../../contract/routes/workspaces/settings.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseObject } from "../../core/objects/parse-object.ts";
import { acceptsNewUser } from "../../core/people/auto-invite.ts";
import { personKey } from "../../core/people/person.ts";
import { REQUIRE_KNOWN_USER } from "../../core/settings/instance.ts";
import { addMember } from "./members.ts";
import { listWorkspaceIds } from "./workspaces.ts";

interface AutoInviteDeps {
  objects: ObjectTable;
  nowMs: () => number;
}

/**
 * Returns whether a person whom the instance does not know may sign in: a workspace has invited them, or a superadmin has opened the
 * instance.
 */
export async function mayJoinInstance({ objects }: Pick<AutoInviteDeps, "objects">, email: string): Promise<boolean> {
  const invites = (await listWorkspaceIds(objects)).map((id) => keys.invite(id, personKey(email)));
  const [setting, ...invited] = await objects.batchGet([keys.instanceSetting(REQUIRE_KNOWN_USER), ...invites], { consistent: true });
  return setting?.value === false || invited.some(Boolean);
}

/**
 * Adds a new user, or an invitation for them, to every workspace whose auto-invite setting matches. Repeating it continues where an earlier
 * call stopped.
 */
export async function joinWorkspaces({ objects, nowMs }: AutoInviteDeps, email: string): Promise<void> {
  const ids = await listWorkspaceIds(objects);
  const settings = await objects.batchGet(
    ids.map((id) => keys.setting(id, "auto_invite")),
    { consistent: true },
  );
  for (const [index, id] of ids.entries()) {
    const setting = settings[index];
    const autoInvite = setting?.value ? parseObject(autoInviteSchema, setting) : undefined;
    if (!autoInvite || !acceptsNewUser(autoInvite, email)) continue;
    if (autoInvite.mode === "add") await addOrInvite({ objects, nowMs }, id, email, autoInvite.operator);
    else {
      const value: InviteJson = { workspace_id: id, email, is_admin: false, operator: autoInvite.operator };
      await objects.put({ ...keys.invite(id, personKey(email)), value }, "absent");
    }
  }
}

/**
 * Adds a user who is not a member yet. If another member has the username, the user gets an invitation and chooses a username when they
 * accept it.
 */
async function addOrInvite({ objects, nowMs }: AutoInviteDeps, id: string, email: string, operator: boolean): Promise<void> {
  try {
    await addMember({ objects, nowMs }, id, { email, is_admin: false, operator }, { inherits: false });
  } catch (error) {
    if (!isSvcError(error)) throw error;
    if (error.code === "user.usernameTaken") {
      const value: InviteJson = { workspace_id: id, email, is_admin: false, operator };
      await objects.put({ ...keys.invite(id, personKey(email)), value }, "absent");
    } else if (error.code !== "member.exists" && error.code !== "workspace.notFound") throw error;
  }
}
