import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { type Account, accountObject, deriveAccountId } from "../../core/accounts/account.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { type StoredVariable, variableObject } from "../../core/variables/variable.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { permit, permitPath } from "../identity/permit.ts";
import { buildReplaceParts } from "../objects/save-object.ts";
import { commitParts, retryOnConflict } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { buildDueParts } from "../variables/account-link.ts";
import { createVariable, variableKind } from "../variables/save.ts";
import { sealForAccounts, sealLocations } from "./account-key.ts";
import { openConnected } from "./connect.ts";
import { requireAccount } from "./refresh.ts";

interface NewAccount {
  client: string;
  /** The sealed text of a completed connection. */
  refresh_token: string;
  /** Creates a secret variable with the token there. */
  path?: string | null | undefined;
  description?: string | null | undefined;
}

/** An account without a variable expires after a day. */
const UNUSED_S = 24 * 3600;

/**
 * Creates the account of a connection that the caller has completed, and returns its id. A repeated call returns the same id. With `path`, also
 * creates the variable with the token. Throws `account.token`, and as `createVariable` does.
 */
export async function createAccount(
  deps: Uses<"objects" | "dataKeys" | "accountKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">,
  caller: WorkspaceCaller,
  request: NewAccount,
): Promise<number> {
  const { actor, workspace } = caller;
  const { path } = request;
  if (path != null) permitPath(actor, actions.saveVariable, workspace, path);
  const connected = await openConnected(deps, actor.email, request.refresh_token);
  if (connected.client !== request.client) throw new SvcError("account.token", {});
  const id = deriveAccountId(`${workspace} ${request.refresh_token}`);
  const { client, owner, refreshToken, expiresAtMs } = connected;
  const account: Account = {
    id,
    client,
    owner,
    ...(refreshToken === undefined
      ? {}
      : { refreshToken: await sealForAccounts(deps, sealLocations.account(workspace, id), refreshToken) }),
    ...defined({ expiresAtMs }),
    failures: 0,
    createdAtMs: deps.nowMs(),
  };
  const expiresAtS = Math.ceil(deps.nowMs() / 1000) + UNUSED_S;
  const object = { ...accountObject.key(workspace, id), value: account, version: randomUUID(), expiresAtS };
  await commitParts(deps.objects, [
    { write: write.check(workspaceObject.key(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    { write: write.put(object, "absent"), refused: undefined },
  ]);
  if (path != null) await createTokenVariable(deps, caller, { path, account: id, request, token: connected.accessToken });
  return id;
}

interface TokenVariable {
  path: string;
  account: number;
  request: NewAccount;
  token: string;
}

/** A repeated call finds the variable that the first one has created. */
async function createTokenVariable(
  deps: Uses<"objects" | "dataKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">,
  caller: WorkspaceCaller,
  { path, account, request, token }: TokenVariable,
) {
  const description = request.description ?? `The token of an account at ${request.client}`;
  try {
    await createVariable(deps, caller, { path, value: token, is_secret: true, description, account, is_oauth: true });
  } catch (error) {
    if (!isSvcError(error) || error.code !== "variable.exists") throw error;
    const found = await deps.objects.get(variableObject.key(caller.workspace, path));
    if (!found || variableObject.parse(found).account !== account) throw error;
  }
}

/**
 * Checks that the caller may change an account: a user who may write its variable, or its owner while it has none. Throws `account.notFound`,
 * also for an account that the caller may not see, and `auth.forbidden`.
 */
export async function permitAccount(deps: Uses<"objects">, { actor, workspace }: WorkspaceCaller, id: number): Promise<Account> {
  const { account } = await requireAccount(deps, { workspace, account: id });
  const hidden = () => new SvcError("account.notFound", { account: id });
  if (account.path !== undefined) permit(actor, actions.saveVariable, { workspace, path: account.path }, hidden);
  else if (account.owner !== actor.email) throw hidden();
  return account;
}

/**
 * Removes an account. Its variable retains the last token, which is no longer refreshed. Throws `account.notFound`, `variable.changedMeanwhile`.
 */
export async function disconnectAccount(
  deps: Uses<"objects" | "dataKeys" | "accountKeys" | "httpRouteKeys" | "chatKeys" | "nowMs">,
  caller: WorkspaceCaller,
  id: number,
): Promise<void> {
  const { objects } = deps;
  const { workspace } = caller;
  await permitAccount(deps, caller, id);
  await retryOnConflict(
    async () => {
      const stored = await objects.get(accountObject.key(workspace, id));
      if (!stored) throw new SvcError("account.notFound", { account: id });
      const { path = "", dueMs } = accountObject.parse(stored);
      const found = await objects.get(variableObject.key(workspace, path));
      const variable = found && variableObject.parse(found);
      const freed = variable?.account === id ? withoutAccount(variable) : undefined;
      const isDone = await commitParts(objects, [
        { write: write.remove(accountObject.key(workspace, id), unchangedSince(stored)), refused: undefined },
        ...(found && freed
          ? await buildReplaceParts(deps, variableKind, { ...caller, stored: found, after: freed, sent: { text: undefined } })
          : []),
        ...buildDueParts(workspace, id, { before: dueMs, after: undefined }),
      ]);
      return isDone ? { done: undefined } : undefined;
    },
    () => new SvcError("account.busy", { account: id }),
  );
}

function withoutAccount({ account: _, refreshed: __, refreshError: ___, ...rest }: StoredVariable): StoredVariable {
  return rest;
}
