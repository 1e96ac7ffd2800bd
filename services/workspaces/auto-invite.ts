import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { isSvcError } from "../../contract/errors.ts";
import type { InviteJson } from "../../contract/routes/people/members.ts";
import type { AutoInvite } from "../../contract/routes/workspaces/settings.ts";
import { keys } from "../../core/objects/keys.ts";
import { takesNewUser } from "../../core/people/auto-invite.ts";
import { personKey } from "../../core/people/person.ts";
import { REQUIRE_KNOWN_USER } from "../../core/settings/instance.ts";
import { addMember } from "./members.ts";

interface Collaborators {
  objects: ObjectTable;
  nowMs: () => number;
}

const idsOf = async (objects: ObjectTable) => (await objects.list(keys.workspace("").pk)).map(({ sk }) => sk);

/** Whether the instance takes somebody that it does not know: they are invited somewhere, or a superadmin lets everybody in. */
export async function mayJoinInstance({ objects }: Pick<Collaborators, "objects">, email: string): Promise<boolean> {
  const invites = (await idsOf(objects)).map((id) => keys.invite(id, personKey(email)));
  const [setting, ...invited] = await objects.getMany([keys.instanceSetting(REQUIRE_KNOWN_USER), ...invites], { consistent: true });
  return setting?.value === false || invited.some(Boolean);
}

/** Lets somebody new into, or invites them to, every workspace that asks for it. Done again it goes on where it stopped. */
export async function joinWorkspaces({ objects, nowMs }: Collaborators, email: string): Promise<void> {
  const ids = await idsOf(objects);
  const settings = await objects.getMany(
    ids.map((id) => keys.setting(id, "auto_invite")),
    { consistent: true },
  );
  for (const [index, id] of ids.entries()) {
    const wish = settings[index]?.value as AutoInvite | undefined;
    if (!wish || !takesNewUser(wish, email)) continue;
    if (wish.mode === "add") await addUnlessThere({ objects, nowMs }, id, email, wish.operator);
    else {
      const value: InviteJson = { workspace_id: id, email, is_admin: false, operator: wish.operator };
      await objects.put({ ...keys.invite(id, personKey(email)), value }, "absent");
    }
  }
}

/** Who is in already stays what they are; whose name is somebody else's there gets an invitation, and chooses another when accepting. */
async function addUnlessThere({ objects, nowMs }: Collaborators, id: string, email: string, operator: boolean): Promise<void> {
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
