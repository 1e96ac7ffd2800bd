import { INSTANCE } from "../../../contract/common.ts";
import { defined } from "../../../contract/defined.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { buildTokenMail } from "../../../core/notifications/token-mail.ts";
import { type ObjectWrite, type StoredObject, unchangedSince, write } from "../../../core/objects/write.ts";
import { tokenObject, userTokenObject } from "../../../core/people/token.ts";
import { EXPIRY_SHARDS, listExpiryKeys, type TokenExpiry, tokenExpiryObject } from "../../../core/people/token-expiry.ts";
import { workspaceObject } from "../../../core/workspaces/workspace.ts";
import { buildEventWrites } from "../../outbox/event.ts";
import { buildMailWrite } from "../../outbox/mail.ts";
import type { Uses } from "../../uses.ts";
import { loadPersons } from "../../workspaces/members.ts";
import { listMemberships } from "../../workspaces/workspaces.ts";
import { toExpiryObject } from "./token-expiry.ts";

type TokenEventType = "TokenExpiringSoon" | "TokenExpired";

const TASK = "expireTokens";
/** The author of the events: no user makes a token expire. */
const SERVICE = "svc";
/** The number of entries that are read at once. */
const PAGE = 100;
/** The number of event items in one transaction, which has at most 100 parts. */
const MAX_EVENTS = 80;

/**
 * Announces the tokens that expire within a week and deletes expired tokens, until `untilMs` (epoch ms), and returns the number of each. Each
 * step of a token is one transaction on condition that its index entry has not changed, so that repeated and concurrent ticks send nothing twice.
 */
export async function expireTokens(
  deps: Uses<"isolation" | "objects" | "nowMs">,
  untilMs: number,
): Promise<{ announced: number; deleted: number }> {
  const done = { announced: 0, deleted: 0 };
  await Promise.all(Array.from({ length: EXPIRY_SHARDS }, (_, shard) => expireShard(deps, shard, { untilMs, done })));
  return done;
}

type Progress = { untilMs: number; done: { announced: number; deleted: number } };

async function expireShard(deps: Uses<"isolation" | "objects" | "nowMs">, shard: number, { untilMs, done }: Progress): Promise<void> {
  const { pk, sk: until } = tokenExpiryObject.key(shard, deps.nowMs(), "￿");
  for (let from = "0"; ; ) {
    const page = await deps.objects.list(pk, { between: [from, until], limit: PAGE });
    for (const stored of page) {
      await deps.isolation.attempt(TASK, stored.sk, async () => {
        const step = await takeStep(deps, stored);
        if (step) done[step] += 1;
      });
      if (Date.now() >= untilMs) return;
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    from = `${last.sk} `;
  }
}

/** Performs the due step of a token. Returns `undefined` if another tick has performed it, or the token was deleted. */
async function takeStep(deps: Uses<"objects" | "nowMs">, stored: StoredObject): Promise<"announced" | "deleted" | undefined> {
  const { objects, nowMs } = deps;
  const entry = tokenExpiryObject.parse(stored);
  const hasExpired = entry.expiresAtMs <= nowMs();
  const type = hasExpired ? "TokenExpired" : "TokenExpiringSoon";
  const { events, until } = await buildTokenEvents(deps, entry, type);
  const { sent: _, ...whole } = entry;
  const rest = until === undefined ? undefined : toExpiryObject(stored, { ...whole, sent: { type, until } });
  const next = rest
    ? [write.put(rest, unchangedSince(stored))]
    : [
        write.remove(stored, unchangedSince(stored)),
        ...(hasExpired ? [] : [write.put(toExpiryObject(listExpiryKeys(entry).end, whole), "absent")]),
      ];
  // DynamoDB may have deleted the token already. The condition on the entry decides whether this is the first time.
  const token = hasExpired
    ? [write.remove(tokenObject.key(entry.hash)), write.remove(userTokenObject.key(entry.email, entry.prefix, entry.hash))]
    : [write.check(tokenObject.key(entry.hash), "present")];
  const mails = rest ? [] : await buildMails(deps, entry, type);
  const refused = await objects.transactWrite([...next, ...token, ...events, ...mails]);
  if (refused === next.length) {
    // The code of an earlier release deleted the token without its entry.
    await objects.transactWrite([write.remove(stored, unchangedSince(stored))]);
  }
  if (refused !== undefined) return undefined;
  if (rest) return takeStep(deps, rest);
  return hasExpired ? "deleted" : "announced";
}

/**
 * Builds the events of a token for the workspaces that have not received them. `until`: the last workspace of these events, if others must follow in
 * another transaction.
 */
async function buildTokenEvents(
  deps: Uses<"objects" | "nowMs">,
  entry: TokenExpiry,
  type: TokenEventType,
): Promise<{ events: ObjectWrite[]; until?: string }> {
  const { prefix, label, email, expiresAtMs, sent } = entry;
  const events: ObjectWrite[] = [];
  if (!entry.announced) return { events };
  const atMs = deps.nowMs();
  const data = { token_prefix: prefix, ...defined({ label }), email, expiration: toIsoTime(expiresAtMs) };
  let until: string | undefined;
  for (const workspace of await listRecipientWorkspaces(deps, entry)) {
    if (sent?.type === type && workspace <= sent.until) continue;
    const writes = await buildEventWrites(deps, { type, workspace, by: SERVICE, atMs, data });
    if (events.length + writes.length > MAX_EVENTS) return { events, ...defined({ until }) };
    events.push(...writes);
    until = workspace;
  }
  return { events };
}

/** Builds the mail to the owner, which is sent together with the last events. A disabled or deleted user gets none. */
async function buildMails({ objects, nowMs }: Uses<"objects" | "nowMs">, entry: TokenExpiry, type: TokenEventType): Promise<ObjectWrite[]> {
  if (!entry.announced) return [];
  const { email, workspace = INSTANCE } = entry;
  const [owner] = await loadPersons(objects, [email]);
  if (!owner || owner.disabled) return [];
  return [buildMailWrite({ workspace, people: [email], ...buildTokenMail(entry, type), atMs: nowMs() })];
}

/** Lists the workspaces that are notified of a token's expiry: the one to which it is bound, or all those of its owner, without archived ones. */
async function listRecipientWorkspaces({ objects }: Uses<"objects">, { email, workspace }: TokenExpiry): Promise<string[]> {
  if (workspace !== undefined) {
    const stored = await objects.get(workspaceObject.key(workspace));
    return stored && !workspaceObject.parse(stored).deleted ? [workspace] : [];
  }
  const memberships = await listMemberships({ objects }, email);
  return memberships.flatMap(({ workspace: { id, deleted }, member }) => (deleted || member.disabled ? [] : [id])).sort();
}
