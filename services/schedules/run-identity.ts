import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { toPermissionedAs, type WorkspaceCaller } from "../../core/people/actor.ts";
import { usernameObject } from "../../core/people/membership.ts";
import { may } from "../../core/permissions/may.ts";
import type { StoredSchedule } from "../../core/schedules/schedule.ts";
import type { Uses } from "../uses.ts";

type RunIdentity = Pick<StoredSchedule, "permissionedAs" | "email" | "superAdmin">;

interface IdentityRequest {
  permissioned_as?: string | null | undefined;
  preserve_permissioned_as?: boolean | null | undefined;
}

/**
 * Returns the identity for whom the runs of a saved schedule act: the caller, or the user whom an admin preserves, who never has the rights of a
 * superadmin. Throws `schedule.notPreserved` and `user.notFound`.
 */
export async function resolveRunIdentity(
  { objects }: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  { permissioned_as: permissionedAs, preserve_permissioned_as: preserve }: IdentityRequest,
): Promise<RunIdentity> {
  const callerIdentity = { permissionedAs: toPermissionedAs(actor), email: actor.email, superAdmin: actor.superAdmin };
  if (!preserve || !permissionedAs || permissionedAs === callerIdentity.permissionedAs) return callerIdentity;
  if (!may(actor, actions.updateMember.access, { workspace })) throw new SvcError("schedule.notPreserved", { permissionedAs });
  const [space, name = "", ...rest] = permissionedAs.split("/");
  const found = space === "u" && rest.length === 0 ? await objects.get(usernameObject.key(workspace, name)) : undefined;
  const email = found && usernameObject.parse(found).email;
  if (email === undefined) throw new SvcError("user.notFound", { email: permissionedAs });
  return { permissionedAs, email, superAdmin: false };
}
