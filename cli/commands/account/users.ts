import { readPages } from "../../api/pages.ts";
import type { Context } from "../../context.ts";
import { readSecret } from "../../output/prompts.ts";

/** Lists the members of the workspace, or with `all` the users of the instance. */
export async function listUsers(context: Context, { all = false }: { all?: boolean }): Promise<void> {
  const { output } = context;
  if (!all) {
    const members = await context.client().call.users.list();
    const rows = members.map(({ username, email, is_admin, operator, disabled }) => [
      username,
      email,
      is_admin ? "admin" : operator ? "operator" : "developer",
      disabled ? "disabled" : "",
    ]);
    output.data(members, output.table(["USERNAME", "EMAIL", "ROLE", "STATE"], rows));
    return;
  }
  const client = context.instanceClient();
  const users = await readPages((page) => client.call.users.listGlobal({ query: page }));
  const rows = users.map(({ email, name, super_admin, disabled }) => [
    email,
    name,
    super_admin ? "superadmin" : "",
    disabled ? "disabled" : "",
  ]);
  output.data(users, output.table(["EMAIL", "NAME", "ROLE", "STATE"], rows));
}

interface NewUserFlags {
  name?: string;
  superadmin?: boolean;
  withPassword?: boolean;
}

/** Creates a user of the instance. Without a password, the user signs in by a provider or by the link in the mail. */
export async function addUser(
  context: Context,
  email: string,
  { name, superadmin = false, withPassword = false }: NewUserFlags,
): Promise<void> {
  const password = withPassword ? await readSecret("password") : undefined;
  await context.instanceClient().call.users.createGlobal({ body: { email, name, super_admin: superadmin, password } });
  context.output.say(`The user ${email} was created.`);
}

/** Deletes a user of the instance with all tokens and memberships. */
export async function removeUser(context: Context, email: string): Promise<void> {
  await context.confirm(`Delete the user ${email} with all tokens and memberships?`);
  await context.instanceClient().call.users.deleteGlobal({ email });
  context.output.say(`The user ${email} was deleted.`);
}
