import { isSvcError, SvcError } from "../../../contract/errors.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { write } from "../../../core/objects/write.ts";
import { personKey, userObject } from "../../../core/people/person.ts";
import { hashToken, tokenObject } from "../../../core/people/token.ts";
import type { Uses } from "../../uses.ts";
import { addMember } from "../../workspaces/add-member.ts";
import { buildNewWorkspaceWrites } from "../../workspaces/workspaces.ts";
import { buildUserAddedWrites } from "../users.ts";
import { buildTokenRemovals } from "./token-expiry.ts";
import { buildTokenWrites } from "./tokens.ts";

/** The user for deployments of files by CDK apps. It has no password, and the domain of the address does not exist. */
export const DEPLOYER = { email: "deployment@svc.invalid", username: "deployment", superAdmin: false };
/** Longer than the maximum duration of the function that deploys. */
const TOKEN_MS = 16 * 60_000;

/**
 * Returns a token with which an app may change one workspace, and creates the workspace if there is none. The user `deployment` becomes an admin
 * of the workspace unless it is a member already: an admin can revoke its rights. A repeated call adds a token. Throws `workspace.beingDeleted`,
 * and `user.usernameTaken` if another member has the username.
 */
export async function openDeployment(deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">, workspace: string): Promise<string> {
  const { objects, nowMs } = deps;
  await objects.transactWrite([
    write.put({ ...userObject.key(personKey(DEPLOYER.email)), value: { ...DEPLOYER, createdAtMs: nowMs() } }, "absent"),
    ...(await buildUserAddedWrites(deps, DEPLOYER)),
  ]);
  const created = { ...DEPLOYER, workspace: { id: workspace, name: workspace } };
  const refused = await objects.transactWrite(await buildNewWorkspaceWrites(deps, created));
  if (refused === 0) throw new SvcError("workspace.beingDeleted", { workspace });
  if (refused !== undefined) await join(deps, workspace);
  const expiration = toIsoTime(nowMs() + TOKEN_MS);
  const { value, writes } = buildTokenWrites(DEPLOYER, { label: "deployment", workspace_id: workspace, expiration }, nowMs());
  await objects.transactWrite(writes);
  return value;
}

/** Does nothing if the user is a member already. */
async function join(deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">, workspace: string): Promise<void> {
  const { email, username } = DEPLOYER;
  try {
    await addMember(deps, workspace, { email, username, is_admin: true, operator: false }, { inherits: false });
  } catch (error) {
    if (!isSvcError(error) || error.code !== "member.exists") throw error;
  }
}

/** Deletes the token of a deployment that has ended. */
export async function closeDeployment({ objects }: Uses<"objects">, token: string): Promise<void> {
  const stored = await objects.get(tokenObject.key(hashToken(token)));
  if (stored) await objects.transactWrite(buildTokenRemovals(tokenObject.parse(stored)));
}
