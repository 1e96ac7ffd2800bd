import { defined } from "../../contract/defined.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import type { ObjectKey, StoredObject } from "../../core/objects/write.ts";
import { groupOf, type Identity, type JobActor } from "../../core/people/actor.ts";
import { isSuperAdmin, personKey, userObject } from "../../core/people/person.ts";
import { accessObject, deriveGroupRights, deriveRights, memberObject, noAccess } from "../../core/permissions/access.ts";
import type { ObjectStore } from "../../ports/object-store.ts";

/** Returns the keys of the items that `identifyActor` accepts, in the same order. */
export function buildRightsKeys(person: string, workspace: string | undefined): ObjectKey[] {
  return [userObject.key(person), ...(workspace === undefined ? [] : [memberObject.key(workspace, person), accessObject.key(workspace)])];
}

/** The items of `buildRightsKeys`. Those that do not exist are `undefined`. */
type RightsItems = readonly (StoredObject | undefined)[];

/** The identity that a token or a job claims. */
interface ClaimedIdentity {
  email: string;
  superAdmin: boolean;
  workspace: string | undefined;
  /** The identity of a job. A job that runs as a group belongs to no user. */
  permissionedAs?: string;
}

/** Returns the person's current rights: a token or job that is older than a change of rights does not restore them. */
export function identifyActor(
  { email, superAdmin: asSuperAdmin, workspace, permissionedAs = "" }: ClaimedIdentity,
  [user, member, access]: RightsItems,
): Identity {
  const workspaceAccess = access ? accessObject.parse(access) : noAccess;
  const ofWorkspace = {
    ...defined({ workspaceState: workspaceAccess.state }),
    ...(workspaceAccess.successHandled || workspaceAccess.recoveryNoticed ? { successHandled: true as const } : {}),
  };
  const group = groupOf(permissionedAs);
  if (group !== undefined && workspace !== undefined) {
    // The username is not that of a user, so it owns no path.
    return {
      email,
      username: permissionedAs,
      superAdmin: false,
      ...ofWorkspace,
      rights: deriveGroupRights(workspace, group, workspaceAccess),
    };
  }
  const person = user && userObject.parse(user);
  if (!person || person.disabled || person.email.toLowerCase() !== email.toLowerCase()) throw new SvcError("auth.invalid", {});
  const asMember = member && memberObject.parse(member);
  const isMember = workspace !== undefined && asMember !== undefined && !asMember.disabled;
  return {
    email: person.email,
    username: isMember ? asMember.username : person.username,
    superAdmin: isSuperAdmin(person) && asSuperAdmin,
    ...defined({ instanceGroups: person.groups }),
    ...ofWorkspace,
    ...(isMember ? { rights: deriveRights(workspace, asMember, workspaceAccess, person.groups) } : {}),
  };
}

/** Returns what `identifyActor` does, or `undefined` for a person who is disabled or gone. */
export function identifyIfEnabled(claimed: ClaimedIdentity, items: RightsItems): Identity | undefined {
  try {
    return identifyActor(claimed, items);
  } catch (error) {
    if (isSvcError(error) && error.code === "auth.invalid") return undefined;
    throw error;
  }
}

/**
 * Loads a job's rights, for work that the service does on the job's behalf, such as resolving imports. Returns `undefined` if the job's
 * user is gone or disabled: the job then has no rights.
 */
export async function loadJobActor(objects: Pick<ObjectStore, "batchGet">, job: Job): Promise<JobActor | undefined> {
  const { id: jobId, email, superAdmin, workspace, attempt, permissionedAs } = job;
  const found = await objects.batchGet(buildRightsKeys(personKey(email), workspace), { consistent: true });
  const identity = identifyIfEnabled({ email, superAdmin, workspace, permissionedAs }, found);
  return identity && { ...identity, kind: "job", jobId, attempt, workspace, permissionedAs, ...(job.isHandler ? { isHandler: true } : {}) };
}
