import { actions } from "../../contract/access/actions.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import type { AccessExplanationJson } from "../../contract/routes/people/access.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { isSuperAdmin } from "../../core/people/person.ts";
import type { Member } from "../../core/permissions/access.ts";
import { explainAccess } from "../../core/permissions/explain.ts";
import type { Uses } from "../uses.ts";
import { loadAccess } from "../workspaces/access.ts";
import { findMember, loadPersons } from "../workspaces/members.ts";
import { permit } from "./permit.ts";

interface ExplainedAccess {
  /** A kind of object that has extra permissions. */
  kind: string;
  /** The path of the object, with `f/` or `g/` for a folder or a group. */
  path: string;
  /** A username. Default: that of the caller. */
  user: string | undefined;
}

/**
 * Explains what a user may do with an object. For another user, the caller must be an admin or an owner of the object. Throws `member.notFound`,
 * and `auth.forbidden` or `access.notFound` for another user.
 */
export async function explainUserAccess(
  { objects }: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  { kind, path, user = actor.username }: ExplainedAccess,
): Promise<AccessExplanationJson> {
  const isOther = user !== actor.username;
  if (isOther) permit(actor, actions.grantAccess, { workspace, path, kind }, () => new SvcError("access.notFound", { kind, path }));
  const [member, { access }] = await Promise.all([findMemberOrSelf(objects, workspace, user, isOther), loadAccess(objects, workspace)]);
  const [person] = await loadPersons(objects, [member?.email ?? actor.email]);
  const explained = {
    email: member?.email ?? actor.email,
    username: user,
    superAdmin: person !== undefined && isSuperAdmin(person),
    instanceGroups: person?.groups ?? [],
    member,
  };
  return { user, ...explainAccess(explained, access, { workspace, kind, path }) };
}

/** A superadmin may call without being a member. */
async function findMemberOrSelf(
  objects: Uses<"objects">["objects"],
  workspace: string,
  username: string,
  isOther: boolean,
): Promise<Member | undefined> {
  try {
    return await findMember({ objects }, workspace, username);
  } catch (error) {
    if (isOther || !isSvcError(error) || error.code !== "member.notFound") throw error;
    return undefined;
  }
}
