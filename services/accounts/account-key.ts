import type * as z from "zod";
import { INSTANCE } from "../../contract/common.ts";
import { limits } from "../../contract/limits.ts";
import { accountKeyObject } from "../../core/accounts/account.ts";
import { openSecret } from "../../core/secrets/open.ts";
import { type SecretLocation, sealSecret } from "../../core/secrets/seal.ts";
import type { Uses } from "../uses.ts";

const KEY_VERSION = 1;
/** The owner of a sealed text. Each kind of text has a different owner, so that no text is accepted as another kind. */
export const sealLocations = {
  client: (name: string): SecretLocation => ({ workspace: INSTANCE, path: `#client/${name}` }),
  pending: { workspace: INSTANCE, path: "#connect" },
  completed: { workspace: INSTANCE, path: "#connected" },
  account: (workspace: string, id: number): SecretLocation => ({ workspace, path: `#account/${id}` }),
};

let cached: { key: Buffer; untilMs: number } | undefined;

/** Returns the key, or `undefined` if nothing was sealed yet. */
async function findAccountKey({ objects, accountKeys, nowMs }: Uses<"objects" | "accountKeys" | "nowMs">): Promise<Buffer | undefined> {
  if (cached && cached.untilMs > nowMs()) return cached.key;
  const stored = await objects.get(accountKeyObject.key());
  if (!stored) return undefined;
  const key = await accountKeys.unwrap(INSTANCE, accountKeyObject.parse(stored).wrapped);
  cached = { key, untilMs: nowMs() + limits.dataKeyCacheMs };
  return key;
}

/** Returns the key. The first use creates it; concurrent calls share the stored one. */
async function requireAccountKey(deps: Uses<"objects" | "accountKeys" | "nowMs">): Promise<Buffer> {
  const found = await findAccountKey(deps);
  if (found) return found;
  const { wrapped } = await deps.accountKeys.generate(INSTANCE);
  await deps.objects.put({ ...accountKeyObject.key(), value: { wrapped } }, "absent");
  return requireAccountKey(deps);
}

/** Seals a text for one location. */
export async function sealForAccounts(
  deps: Uses<"objects" | "accountKeys" | "nowMs">,
  location: SecretLocation,
  text: string,
): Promise<string> {
  return sealSecret({ version: KEY_VERSION, key: await requireAccountKey(deps) }, location, text);
}

/** Opens a sealed text. Returns `undefined` if it was forged, changed, or sealed for another location. */
export async function openForAccounts(
  deps: Uses<"objects" | "accountKeys" | "nowMs">,
  location: SecretLocation,
  sealed: string,
): Promise<string | undefined> {
  const key = await findAccountKey(deps);
  if (!key) return undefined;
  try {
    return openSecret(key, location, sealed);
  } catch {
    // A text that was forged, changed, or sealed for another purpose counts as absent.
    return undefined;
  }
}

/** Opens sealed JSON of a browser or a caller. Returns `undefined` for anything else. */
export async function openJsonForAccounts<T>(
  deps: Uses<"objects" | "accountKeys" | "nowMs">,
  location: SecretLocation,
  { sealed, schema }: { sealed: string; schema: z.ZodType<T> },
): Promise<T | undefined> {
  const opened = await openForAccounts(deps, location, Buffer.from(sealed, "base64url").toString());
  return opened === undefined ? undefined : schema.parse(JSON.parse(opened));
}

/** Seals JSON as text that fits a cookie and a JSON body. */
export async function sealJsonForAccounts(
  deps: Uses<"objects" | "accountKeys" | "nowMs">,
  location: SecretLocation,
  value: unknown,
): Promise<string> {
  return Buffer.from(await sealForAccounts(deps, location, JSON.stringify(value))).toString("base64url");
}
