import { write } from "../../core/objects/write.ts";
import { deriveUsername } from "../../core/people/actor.ts";
import { personKey, userObject } from "../../core/people/person.ts";
import type { Uses } from "../uses.ts";
import { buildNewWorkspaceWrites } from "../workspaces/workspaces.ts";
import { buildTokenWrites } from "./tokens/tokens.ts";
import { buildUserAddedWrites } from "./users.ts";

export interface SetUpOptions {
  email: string;
  password?: string | undefined;
  workspace?: { id: string; name: string } | undefined;
  token?: { label: string } | undefined;
}

/** Creates a superadmin, and a workspace and a token if requested. A repeated call replaces the password and adds a token. */
export async function setUpInstance(deps: Uses<"objects" | "people" | "nowMs" | "instanceEventsUrl">, request: SetUpOptions) {
  const { objects, people, nowMs } = deps;
  const { email, password, workspace, token } = request;
  const owner = { email, username: deriveUsername(email), superAdmin: true };
  if (password !== undefined) await people.ensureUser(email, password);
  await objects.transactWrite([
    write.put({ ...userObject.key(personKey(email)), value: { ...owner, createdAtMs: nowMs() } }, "absent"),
    ...(await buildUserAddedWrites(deps, owner)),
  ]);
  // An existing workspace is left unchanged.
  if (workspace) await objects.transactWrite(await buildNewWorkspaceWrites(deps, { ...owner, workspace }));
  if (!token) return { email, workspace: workspace?.id };
  const { value, writes } = buildTokenWrites(owner, token, nowMs());
  await objects.transactWrite(writes);
  return { email, workspace: workspace?.id, token: value };
}
