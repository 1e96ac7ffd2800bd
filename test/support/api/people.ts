import { randomUUID } from "node:crypto";
import { type Api, api } from "./api.ts";
import { expectStatus, type Workspace, workspaceOf } from "./workspace.ts";

/** Somebody with a token of their own, for tests of rights. */
export interface Someone {
  email: string;
  username: string;
  api: Api;
  /** A client for a workspace. */
  in(workspace: Workspace): Workspace;
}

/** Makes a user of the instance. The token comes by impersonation: signing in has tests of its own. */
export async function someone(name: string, admin: Api = api()): Promise<Someone> {
  const username = `${name}${randomUUID().slice(0, 6)}`;
  const email = `${username}@example.com`;
  expectStatus(await admin.post("users/create", { email, super_admin: false }), 201);
  const token = expectStatus(await admin.post("users/tokens/impersonate", { impersonate_email: email }), 201).text;
  const client = api({ url: admin.url, token });
  return { email, username, api: client, in: (workspace) => workspaceOf(client, workspace.id) };
}

/** The same, as a member of a workspace whose client is an admin's. */
export async function member(workspace: Workspace, name: string, role: "admin" | "developer" | "operator" = "developer"): Promise<Someone> {
  const who = await someone(name, workspace.api);
  const asked = { email: who.email, is_admin: role === "admin", operator: role === "operator" };
  expectStatus(await workspace.post("workspaces/add_user", asked), 201);
  return who;
}
