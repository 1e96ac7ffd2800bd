import { randomUUID } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { type Account, accountObject, computeDueMs, dueRefreshObject } from "../../core/accounts/account.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import type { StoredVariable } from "../../core/variables/variable.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

/** The fields of a variable that its account determines, and the parts that store the link on the side of the account. */
interface AccountLink {
  fields: Partial<StoredVariable>;
  parts: TransactionPart[];
}

const NO_LINK: AccountLink = { fields: {}, parts: [] };

/**
 * Links an account to the variable that contains its token. An account belongs to the user who connected it and to one variable: in any other
 * variable, its number has no effect, such as a number from another workspace.
 */
export async function buildAccountLink(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
  { actor, workspace }: WorkspaceCaller,
  { path, account: id }: { path: string; account: number | null | undefined },
): Promise<AccountLink> {
  if (id == null) return NO_LINK;
  const found = await objects.get(accountObject.key(workspace, id));
  const account = found && accountObject.parse(found);
  if (!found || !account || account.owner !== actor.email || (account.path ?? path) !== path) return NO_LINK;
  const { expiresAtMs, refreshToken } = account;
  const dueMs = refreshToken === undefined || expiresAtMs === undefined ? undefined : Math.round(computeDueMs(expiresAtMs, nowMs()));
  const { dueMs: before, ...rest } = account;
  const linked: Account = { ...rest, path, ...defined({ dueMs }) };
  return {
    fields: {
      isOauth: true,
      ...(expiresAtMs === undefined ? {} : { expiresAt: toIsoTime(expiresAtMs) }),
      ...(dueMs === undefined ? {} : { refreshed: true }),
    },
    parts: [
      {
        write: write.put({ ...accountObject.key(workspace, id), value: linked, version: randomUUID() }, unchangedSince(found)),
        refused: undefined,
      },
      ...buildDueParts(workspace, id, { before, after: dueMs }),
    ],
  };
}

/** Builds the parts that move an account to the new path of its variable. */
export async function buildAccountMove(
  { objects }: Uses<"objects">,
  workspace: string,
  { variable, to }: { variable: StoredVariable; to: string },
): Promise<TransactionPart[]> {
  const found = await findLinkedAccount(objects, workspace, variable);
  if (!found || found.account.path === to) return [];
  const { stored, account } = found;
  const moved = { ...accountObject.key(workspace, account.id), value: { ...account, path: to }, version: randomUUID() };
  return [{ write: write.put(moved, unchangedSince(stored)), refused: undefined }];
}

/** Builds the parts that remove the account of a variable. */
export async function buildAccountRemoval(
  { objects }: Uses<"objects">,
  workspace: string,
  variable: StoredVariable,
): Promise<TransactionPart[]> {
  const found = await findLinkedAccount(objects, workspace, variable);
  if (!found) return [];
  const { stored, account } = found;
  return [
    { write: write.remove(accountObject.key(workspace, account.id), unchangedSince(stored)), refused: undefined },
    ...buildDueParts(workspace, account.id, { before: account.dueMs, after: undefined }),
  ];
}

/** Builds the parts that replace the entry of an account in the queue of refreshes. */
export function buildDueParts(
  workspace: string,
  id: number,
  { before, after }: { before: number | undefined; after: number | undefined },
): TransactionPart[] {
  if (before === after) return [];
  const entry = { of: workspace, account: id };
  return [
    ...(before === undefined ? [] : [{ write: write.remove(dueRefreshObject.key(before, workspace, id)), refused: undefined }]),
    ...(after === undefined
      ? []
      : [{ write: write.put({ ...dueRefreshObject.key(after, workspace, id), value: entry }), refused: undefined }]),
  ];
}

async function findLinkedAccount(objects: Pick<ObjectStore, "get">, workspace: string, { account: id, path }: StoredVariable) {
  if (id === undefined) return undefined;
  const stored = await objects.get(accountObject.key(workspace, id));
  const account = stored && accountObject.parse(stored);
  return stored && account?.path === path ? { stored, account } : undefined;
}
