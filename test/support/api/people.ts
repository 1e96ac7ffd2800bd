import { randomUUID } from "node:crypto";
import { type Api, api } from "./api.ts";
import { expectStatus, type Workspace, workspaceOf } from "./workspace.ts";

/** A user with a token, for tests of rights. */
export interface Someone {
  email: string;
  username: string;
  api: Api;
  /** A client for a workspace. */
  in(workspace: Workspace): Workspace;
}

/** Creates a user of the instance. The token comes from impersonation, because sign-in has separate tests. */
export async function someone(name: string, admin: Api = api()): Promise<Someone> {
  const username = `${name}${randomUUID().slice(0, 6)}`;
  const email = `${username}@example.com`;
  expectStatus(await admin.ask.users.createGlobal({ body: { email, super_admin: false } }), 201);
  const token = expectStatus(await admin.ask.tokens.impersonate({ body: { impersonate_email: email } }), 201).text;
  const client = admin.as(token);
  return { email, username, api: client, in: (workspace) => workspaceOf(client, workspace.id) };
}

/** Creates a member of a workspace whose client belongs to an admin. */
export async function member(workspace: Workspace, name: string, role: "admin" | "developer" | "operator" = "developer"): Promise<Someone> {
  const who = await someone(name, workspace.api);
  const request = { email: who.email, is_admin: role === "admin", operator: role === "operator" };
  expectStatus(await workspace.ask.workspaces.addUser({ body: request }), 201);
  return who;
}
