import { unchangedSince, write } from "../../../core/objects/write.ts";
import { tokenObject, userTokenObject } from "../../../core/people/token.ts";
import { tokenExpiryIndexObject } from "../../../core/people/token-expiry.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import type { Uses } from "../../uses.ts";
import { listPersons } from "../users.ts";
import { buildExpiryWrites } from "./token-expiry.ts";

/** While a deployment replaces it, the code of the earlier release may still create tokens. The second pass finds them. */
const OLD_CODE_MS = 60 * 60_000;

/**
 * Gives the tokens that an earlier release stored their entries in the index of expiries, until `untilMs` (epoch ms), and returns the number of
 * new entries. It reads the tokens of all users twice after an upgrade and never again.
 */
export async function indexTokenExpiries({ objects, nowMs }: Uses<"objects" | "nowMs">, untilMs: number): Promise<number> {
  const key = tokenExpiryIndexObject.key();
  const stored = await objects.get(key);
  const progress = stored ? tokenExpiryIndexObject.parse(stored) : { sinceMs: nowMs(), pass: "first" as const, after: "" };
  if (progress.pass === "done" || (progress.pass === "second" && nowMs() < progress.sinceMs + OLD_CODE_MS)) return 0;
  let count = 0;
  const emails = (await listPersons({ objects })).map(({ email }) => email.toLowerCase()).sort();
  for (const email of emails.filter((one) => one > progress.after)) {
    count += await indexTokensOf(objects, email);
    if (Date.now() < untilMs) continue;
    await objects.put({ ...key, value: { ...progress, after: email } });
    return count;
  }
  // An instance without users has no earlier release.
  const pass = progress.pass === "second" || emails.length === 0 ? "done" : "second";
  await objects.put({ ...key, value: { ...progress, pass, after: "" } });
  return count;
}

async function indexTokensOf(objects: ObjectStore, email: string): Promise<number> {
  let count = 0;
  for (const object of await objects.list(userTokenObject.partitionKey(email), { beginsWith: "token#" })) {
    for (const record of userTokenObject.parseReadable([object])) {
      const writes = buildExpiryWrites(record);
      if (writes.length === 0) continue;
      // A token that has changed since it was read got its entry by that change.
      const refused = await objects.transactWrite([...writes, write.check(tokenObject.key(record.hash), unchangedSince(object))]);
      if (refused === undefined) count += 1;
    }
  }
  return count;
}
