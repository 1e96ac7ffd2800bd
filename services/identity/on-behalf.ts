import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { type Actor, toPermissionedAs } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { memberObject } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import type { Uses } from "../uses.ts";

/** The fields of a script or flow that name the user for whom its runs act. */
interface OnBehalf {
  on_behalf_of_email?: string | null | undefined;
  preserve_on_behalf_of?: boolean | null | undefined;
}

/**
 * Sets the user for whom a script or flow acts to the user who saves it. An admin may preserve another user. Throws `script.notOnBehalf`.
 */
export function applyOnBehalfOf<S extends OnBehalf>(actor: Actor, workspace: string, request: S): S {
  const email = request.on_behalf_of_email;
  if (!email || email === actor.email) return request;
  if (!request.preserve_on_behalf_of) return { ...request, on_behalf_of_email: actor.email };
  if (may(actor, actions.updateMember.access, { workspace })) return request;
  throw new SvcError("script.notOnBehalf", { email });
}

/**
 * Returns the user for whom runs act, with their name in the workspace. Throws `user.notFound` for a user who is not a member, because a
 * run needs a member's rights.
 */
export async function resolveOnBehalfOf(
  { objects }: Uses<"objects">,
  actor: Actor,
  workspace: string,
  { on_behalf_of_email: email }: OnBehalf,
): Promise<{ email: string; permissionedAs: string } | undefined> {
  if (!email) return undefined;
  if (email === actor.email) return { email, permissionedAs: toPermissionedAs(actor) };
  const found = await objects.get(memberObject.key(workspace, personKey(email)));
  if (!found) throw new SvcError("user.notFound", { email });
  return { email, permissionedAs: `u/${memberObject.parse(found).username}` };
}
