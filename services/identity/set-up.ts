import type { People } from "../../aws/cognito/people.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { keys } from "../../core/objects/keys.ts";
import { deriveUsername } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { buildWorkspaceWrites } from "../workspaces/workspaces.ts";
import { buildTokenWrites } from "./tokens.ts";

interface SetUpDeps {
  objects: ObjectTable;
  people: People;
  nowMs: () => number;
}

export interface SetUpOptions {
  email: string;
  password?: string | undefined;
  workspace?: { id: string; name: string } | undefined;
  token?: { label: string } | undefined;
}

/** Creates a superadmin, and a workspace and a token if requested. A repeated call replaces the password and adds a token. */
export async function setUpInstance({ objects, people, nowMs }: SetUpDeps, request: SetUpOptions) {
  const { email, password, workspace, token } = request;
  const owner = { email, username: deriveUsername(email), superAdmin: true };
  if (password !== undefined) await people.ensureUser(email, password);
  await objects.put({ ...keys.user(personKey(email)), value: { ...owner, createdAtMs: nowMs() } }, "absent");
  // An existing workspace is left unchanged.
  if (workspace) await objects.transactWrite(buildWorkspaceWrites({ ...owner, workspace }, nowMs()));
  if (!token) return { email, workspace: workspace?.id };
  const { value, writes } = buildTokenWrites(owner, token, nowMs());
  await objects.transactWrite(writes);
  return { email, workspace: workspace?.id, token: value };
}
