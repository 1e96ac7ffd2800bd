import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import type { NewMember } from "../../contract/routes/people/members.ts";
import { type Expectation, write } from "../../core/objects/write.ts";
import { deriveUsername } from "../../core/people/actor.ts";
import { formerUsernameObject, inviteObject } from "../../core/people/membership.ts";
import { type PersonRecord, personKey, userObject } from "../../core/people/person.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { buildInstanceEventWrites } from "../outbox/instance-event.ts";
import type { Uses } from "../uses.ts";
import { isMember, toRole } from "./members.ts";
import { mayTakeUsername } from "./usernames.ts";
import { buildMemberWrites } from "./workspaces.ts";

/**
 * Adds a person to a workspace. A person without a user gets one, and cannot sign in before a password is set. The username of a former
 * member owns all objects at `u/<username>/…`, so another person gets it only with `inherits`: an admin named it explicitly. `invite` is the
 * state in which the invitation was read, if the person accepts one. Throws `member.exists`, `user.usernameTaken`, `workspace.notFound`,
 * `invite.notFound`.
 */
export async function addMember(
  deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">,
  workspace: string,
  request: NewMember,
  { inherits, invite }: { inherits: boolean; invite?: Expectation },
): Promise<void> {
  const { objects, nowMs } = deps;
  const { email } = request;
  const createdAtMs = nowMs();
  const username = request.username ?? deriveUsername(email);
  if (await isMember({ objects }, workspace, email)) throw new SvcError("member.exists", { email });
  const former = formerUsernameObject.key(workspace, username);
  const comesBack = (await objects.get(former))?.version === personKey(email);
  const mayTake = inherits || comesBack || (await mayTakeUsername({ objects }, workspace, { email, username }));
  if (!mayTake) throw new SvcError("user.usernameTaken", { username });
  const newcomer: PersonRecord = { email, username: deriveUsername(email), superAdmin: false, createdAtMs };
  await addUnknownUser(deps, newcomer);
  const refused = await objects.transactWrite([
    write.check(workspaceObject.key(workspace), "present"),
    write.remove(inviteObject.key(workspace, personKey(email)), invite),
    ...buildMemberWrites(workspace, { email, username, role: toRole(request), createdAtMs }),
    ...(inherits ? [] : [write.check(former, comesBack ? { version: personKey(email) } : "absent")]),
    ...(await buildInstanceEventWrites(deps, [{ type: "UserJoinedWorkspace", data: { email, workspace, username } }])),
  ]);
  if (refused === 0) throw new SvcError("workspace.notFound", { workspace });
  if (refused === 1) throw new SvcError("invite.notFound", { workspace });
  if (refused === 2) throw new SvcError("member.exists", { email });
  if (refused !== undefined) throw new SvcError("user.usernameTaken", { username });
}

/** Creates the record of a user whom the instance does not know. */
async function addUnknownUser(deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">, newcomer: PersonRecord): Promise<void> {
  const { email, username } = newcomer;
  const key = userObject.key(personKey(email));
  if (await deps.objects.get(key)) return;
  await deps.objects.transactWrite([
    write.put({ ...key, value: newcomer, version: randomUUID() }, "absent"),
    ...(await buildInstanceEventWrites(deps, [{ type: "UserAdded", data: { email, username } }])),
  ]);
}
