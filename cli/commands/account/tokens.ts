import { limits } from "../../../contract/limits.ts";
import type { TruncatedTokenJson } from "../../../contract/routes/people/tokens.ts";
import type { ApiClient } from "../../api/client.ts";
import type { Context } from "../../context.ts";

const DAY_MS = 24 * 3600 * 1000;

/** Lists your tokens without their values. */
export async function listTokens(context: Context): Promise<void> {
  const tokens = await context.instanceClient().call.tokens.list({ query: { exclude_ephemeral: true } });
  const { output } = context;
  const rows = tokens.map(({ token_prefix, label, expiration, scopes }) => [token_prefix, label, expiration, scopes?.join(" ")]);
  output.data(tokens, output.table(["PREFIX", "LABEL", "EXPIRES", "SCOPES"], rows));
}

interface NewTokenFlags {
  label?: string;
  expiresIn?: number;
  scopes?: string[];
  readOnly?: boolean;
}

/** Creates a token and prints it: its value is never shown again. */
export async function createToken(context: Context, { label, expiresIn, scopes, readOnly }: NewTokenFlags): Promise<void> {
  const client = context.instanceClient();
  const expiration = expiresIn === undefined ? await findOwnExpiration(client) : new Date(Date.now() + expiresIn * DAY_MS).toISOString();
  const { workspace } = context.target();
  const request = { label, expiration, scopes, read_only: readOnly, ...(workspace ? { workspace_id: workspace } : {}) };
  const token = await client.call.tokens.create({ body: request });
  if (expiresIn === undefined && expiration !== undefined) context.output.say(`It is valid as long as your login, until ${expiration}.`);
  context.output.data({ token }, token);
}

/**
 * Returns the expiry of the caller's token: the tokens that it creates may not be valid for longer. A token without the right to list tokens may
 * not create any.
 */
async function findOwnExpiration(client: ApiClient): Promise<string | undefined> {
  const tokens = await client.call.tokens.list({ query: { exclude_ephemeral: true } });
  return findOwnToken(tokens, client.options.token)?.expiration;
}

/** Returns the token with a value. */
export const findOwnToken = (tokens: readonly TruncatedTokenJson[], value: string): TruncatedTokenJson | undefined =>
  tokens.find(({ token_prefix: prefix }) => value.startsWith(prefix) && prefix.length >= limits.tokenPrefixChars);

/** Deletes the token that begins with a prefix. */
export async function deleteToken(context: Context, prefix: string): Promise<void> {
  await context.instanceClient().call.tokens.delete({ token_prefix: prefix });
  context.output.say(`The token ${prefix} was deleted.`);
}
