import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { type Actor, type Person, toPermissionedAs, type WorkspaceCaller } from "../../core/people/actor.ts";
import { usernameObject } from "../../core/people/membership.ts";
import { personKey } from "../../core/people/person.ts";
import { may } from "../../core/permissions/may.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import type { Uses } from "../uses.ts";
import { buildRightsKeys, identifyIfEnabled } from "./identify.ts";

/** The user with whose rights the jobs of a stored object run, such as those of a trigger. */
export interface RunAs {
  email: string;
  permissionedAs: string;
  /** Whether the jobs have the rights of a superadmin: only those of a superadmin who is no member, who has no other rights. */
  superAdmin: boolean;
}

interface RunAsRequest {
  permissioned_as?: string | null | undefined;
  preserve_permissioned_as?: boolean | null | undefined;
}

/**
 * Returns the user with whose rights the jobs of an object run: the caller who saves it, or another member of the workspace whom an admin
 * preserves. Throws `user.notFound`, and `refused` if the caller is no admin.
 */
export async function resolveRunAs(
  { objects }: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  { permissioned_as: requestedUser, preserve_permissioned_as: preserve }: RunAsRequest,
  refused: (permissionedAs: string) => SvcError,
): Promise<RunAs> {
  const callerUser = toPermissionedAs(actor);
  if (!requestedUser || !preserve || requestedUser === callerUser || requestedUser === actor.email) {
    return { email: actor.email, permissionedAs: callerUser, superAdmin: actor.superAdmin && !actor.rights };
  }
  if (!may(actor, actions.updateMember.access, { workspace })) throw refused(requestedUser);
  const name = /^u\/(.+)$/.exec(requestedUser)?.[1];
  const found = name === undefined ? undefined : await objects.get(usernameObject.key(workspace, name));
  const email = found && usernameObject.parse(found).email;
  if (name === undefined || email === undefined) throw new SvcError("user.notFound", { email: requestedUser });
  return { email, permissionedAs: `u/${name}`, superAdmin: false };
}

/**
 * Checks the remaining fields of a stored object when the user with whose rights it acts changes. `remaining` contains the stored values of the
 * fields that act for this user and that the request omits, by their API names. Another user chose such a value, which would act with the rights
 * of the new user, who has not seen it. Throws `identity.fieldsMissing`.
 */
export function requireActingFields(
  before: RunAs,
  { email, permissionedAs, superAdmin }: RunAs,
  remaining: Readonly<Record<string, unknown>>,
): void {
  const isSame = before.email === email && before.permissionedAs === permissionedAs && before.superAdmin === superAdmin;
  const fields = Object.entries(remaining).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (!isSame && fields.length > 0) throw new SvcError("identity.fieldsMissing", { permissionedAs, fields });
}

/**
 * Loads the current rights of such a user, as the actor who starts a job. Returns `undefined` if the user is disabled or gone, or no longer has
 * rights in the workspace.
 */
export async function loadRunAsActor(
  objects: Pick<ObjectStore, "batchGet">,
  workspace: string,
  { email, superAdmin }: RunAs,
): Promise<Actor | undefined> {
  const found = await objects.batchGet(buildRightsKeys(personKey(email), workspace), { consistent: true });
  return identifyRunAsActor(workspace, { email, superAdmin }, found);
}

/** Returns what `loadRunAsActor` does, from the items of `buildRightsKeys`, which the caller has read. */
export function identifyRunAsActor(
  workspace: string,
  { email, superAdmin }: Pick<RunAs, "email" | "superAdmin">,
  found: (StoredObject | undefined)[],
): Actor | undefined {
  const identity = identifyIfEnabled({ email, superAdmin, workspace }, found);
  if (!identity?.rights && !identity?.superAdmin) return undefined;
  return { ...identity, kind: "person", tokenHash: "", tokenPrefix: "" } satisfies Person;
}
