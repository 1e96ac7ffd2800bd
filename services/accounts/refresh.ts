import { randomUUID } from "node:crypto";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import {
  type Account,
  accountObject,
  buildRefreshMail,
  computeDueMs,
  computeRetryMs,
  computeTokenEnd,
  type IssuedTokens,
} from "../../core/accounts/account.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { createExportNonce } from "../../core/secrets/seal.ts";
import { type StoredVariable, variableObject } from "../../core/variables/variable.ts";
import { buildReplaceParts } from "../objects/save-object.ts";
import { commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";
import { buildMailWrite } from "../outbox/mail.ts";
import { evictKeyRing } from "../secrets/key-ring.ts";
import type { Uses } from "../uses.ts";
import { buildDueParts } from "../variables/account-link.ts";
import { buildValueParts, variableKind } from "../variables/save.ts";
import { loadPersons } from "../workspaces/members.ts";
import { openForAccounts, sealForAccounts, sealLocations } from "./account-key.ts";
import { loadConnectClient } from "./clients.ts";

export type RefreshDeps = Uses<"objects" | "dataKeys" | "accountKeys" | "httpRouteKeys" | "chatKeys" | "tokenEndpoints" | "nowMs">;

interface AccountRef {
  workspace: string;
  account: number;
}

/** An account as it was read, or as this refresh has claimed it. */
interface ReadAccount {
  stored: StoredObject;
  account: Account;
}

/** The maximum duration of a refresh: a request and its writes. The claim of a process that died ends then. */
const CLAIM_MS = limits.tokenRequestMs + 60_000;

/**
 * Refreshes the token of an account and stores it in its variable. One refresh at a time: another service may replace the refresh token at its
 * first use, and revoke all of them at a second. Throws `account.notFound`, `account.busy` and `account.notRefreshed`.
 */
export async function refreshAccount(deps: RefreshDeps, ref: AccountRef): Promise<void> {
  const claimed = await claimAccount(deps, ref);
  const issued = await requestTokens(deps, ref, claimed.account);
  if ("reason" in issued) {
    await storeFailure(deps, ref, claimed, issued.reason);
    throw new SvcError("account.notRefreshed", { account: ref.account, reason: issued.reason });
  }
  await storeTokens(deps, ref, claimed, issued);
}

/** Returns an account. Throws `account.notFound`. */
export async function requireAccount({ objects }: Uses<"objects">, { workspace, account: id }: AccountRef): Promise<ReadAccount> {
  const stored = await objects.get(accountObject.key(workspace, id));
  if (!stored) throw new SvcError("account.notFound", { account: id });
  return { stored, account: accountObject.parse(stored) };
}

function claimAccount(deps: RefreshDeps, ref: AccountRef): Promise<ReadAccount> {
  const busy = () => new SvcError("account.busy", { account: ref.account });
  return retryOnConflict(async () => {
    const { stored, account } = await requireAccount(deps, ref);
    if (account.path === undefined || account.refreshToken === undefined)
      throw new SvcError("account.notRefreshed", { account: ref.account, reason: "it has no refresh token or no variable" });
    if ((account.claimedUntilMs ?? 0) > deps.nowMs()) throw busy();
    const claimed = { ...account, claimedUntilMs: deps.nowMs() + CLAIM_MS };
    const object = { ...accountObject.key(ref.workspace, ref.account), value: claimed, version: randomUUID() };
    const refused = await deps.objects.transactWrite([write.put(object, unchangedSince(stored))]);
    return refused === undefined ? { done: { stored: object, account: claimed } } : undefined;
  }, busy);
}

/** Returns the new tokens, or the reason for which there are none. */
async function requestTokens(deps: RefreshDeps, { workspace }: AccountRef, account: Account): Promise<IssuedTokens | { reason: string }> {
  const sealed = account.refreshToken ?? "";
  const refreshToken = await openForAccounts(deps, sealLocations.account(workspace, account.id), sealed);
  if (refreshToken === undefined) return { reason: "its refresh token cannot be read" };
  try {
    return await deps.tokenEndpoints.refreshTokens(await loadConnectClient(deps, account.client), refreshToken);
  } catch (error) {
    if (!isSvcError(error)) throw error;
    if (error.code === "connect.unknown") return { reason: `the client ${account.client} is no longer configured` };
    if (error.code === "connect.notConfirmed") return { reason: `${account.client} refused it (${error.details.reason})` };
    if (error.code === "connect.unreachable") return { reason: `${account.client} does not respond as expected` };
    throw error;
  }
}

/** Stores the new tokens. A rotated refresh token must not be lost, so the write is repeated while the variable changes. */
function storeTokens(deps: RefreshDeps, ref: AccountRef, claimed: ReadAccount, issued: IssuedTokens): Promise<void> {
  return changeClaimed(deps, ref, claimed, async (account, variable) => {
    const location = { workspace: ref.workspace, path: variable.path };
    const plain = { value: issued.accessToken, exportNonce: createExportNonce() };
    const { value, parts } = await buildValueParts(deps, location, variable.isSecret, plain);
    const expiresAtMs = computeTokenEnd({ expiresInS: issued.expiresInS, refreshToken: "any" }, deps.nowMs()) ?? deps.nowMs();
    const rotated =
      issued.refreshToken === undefined
        ? {}
        : { refreshToken: await sealForAccounts(deps, sealLocations.account(ref.workspace, account.id), issued.refreshToken) };
    const { refreshError: _, ...rest } = variable;
    return {
      account: { ...account, ...rotated, expiresAtMs, failures: 0, dueMs: Math.round(computeDueMs(expiresAtMs, deps.nowMs())) },
      variable: { ...rest, ...value, expiresAt: toIsoTime(expiresAtMs), isOauth: true, refreshed: true },
      text: plain.value,
      parts,
    };
  });
}

/** Counts a failed refresh. After several in a row, the variable shows the reason, and the owner gets one mail. */
function storeFailure(deps: RefreshDeps, ref: AccountRef, claimed: ReadAccount, reason: string): Promise<void> {
  return changeClaimed(deps, ref, claimed, async (account, variable) => {
    const failures = account.failures + 1;
    const changed = { ...account, failures, dueMs: computeRetryMs(failures, deps.nowMs()) };
    if (failures < limits.refreshFailures) return { account: changed, variable: undefined, parts: [] };
    const mail = failures === limits.refreshFailures ? await buildOwnerMail(deps, ref, changed, reason) : [];
    return { account: changed, variable: { ...variable, refreshError: `The token was not refreshed: ${reason}.` }, parts: mail };
  });
}

async function buildOwnerMail(deps: RefreshDeps, { workspace }: AccountRef, account: Account, reason: string): Promise<TransactionPart[]> {
  const [owner] = await loadPersons(deps.objects, [account.owner]);
  if (!owner || owner.disabled) return [];
  const mail = { workspace, people: [account.owner], ...buildRefreshMail(account, reason), atMs: deps.nowMs() };
  return [{ write: buildMailWrite(mail), refused: undefined }];
}

interface RefreshChange {
  account: Account;
  /** Absent if it does not change. */
  variable: StoredVariable | undefined;
  /** The new token. */
  text?: string;
  parts: TransactionPart[];
}

/**
 * Changes a claimed account together with its variable and its entry in the queue, and ends the claim. If its variable is missing or has another
 * account, the account is removed. Nothing happens if the account no longer exists or another refresh has claimed it since.
 */
async function changeClaimed(
  deps: RefreshDeps,
  { workspace, account: id }: AccountRef,
  claimed: ReadAccount,
  change: (account: Account, variable: StoredVariable) => Promise<RefreshChange>,
): Promise<void> {
  const key = accountObject.key(workspace, id);
  await retryOnConflict(
    async () => {
      const stored = await deps.objects.get(key);
      const account = stored && accountObject.parse(stored);
      // A rename of the variable changes the account, but not the claim.
      if (!account || account.claimedUntilMs !== claimed.account.claimedUntilMs) return { done: undefined };
      const found = await deps.objects.get(variableObject.key(workspace, account.path ?? ""));
      const variable = found && variableObject.parse(found);
      if (!found || variable?.account !== id) {
        const removedParts = [
          { write: write.remove(key, unchangedSince(stored)), refused: undefined },
          ...buildDueParts(workspace, id, { before: account.dueMs, after: undefined }),
        ];
        return (await commitParts(deps.objects, removedParts)) ? { done: undefined } : undefined;
      }
      const { claimedUntilMs: _, ...free } = account;
      const changed = await change(free, variable);
      const isDone = await commitParts(deps.objects, [
        ...changed.parts,
        { write: write.put({ ...key, value: changed.account, version: randomUUID() }, unchangedSince(stored)), refused: undefined },
        ...(changed.variable
          ? await buildReplaceParts(deps, variableKind, { workspace, stored: found, after: changed.variable, sent: { text: changed.text } })
          : []),
        ...buildDueParts(workspace, id, { before: account.dueMs, after: changed.account.dueMs }),
      ]);
      if (isDone) return { done: undefined };
      evictKeyRing(workspace);
      return undefined;
    },
    () => new SvcError("account.busy", { account: id }),
    STORE_TRIES,
  );
}
const STORE_TRIES = 30;
