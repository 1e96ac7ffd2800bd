import type { TruncatedTokenJson } from "../../../contract/routes/people/tokens.ts";
import type { Context } from "../../context.ts";

const DAY_MS = 24 * 3600 * 1000;

/** Lists your tokens without their values. */
export async function listTokens(context: Context): Promise<void> {
  const tokens = await context.instanceClient().get<TruncatedTokenJson[]>("/users/tokens/list", { query: { exclude_ephemeral: true } });
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
  const expiration = expiresIn === undefined ? undefined : new Date(Date.now() + expiresIn * DAY_MS).toISOString();
  const { workspace } = context.target();
  const request = { label, expiration, scopes, read_only: readOnly, ...(workspace ? { workspace_id: workspace } : {}) };
  const token = await context.instanceClient().post<string>("/users/tokens/create", request);
  context.output.data({ token }, token);
}

/** Deletes the token that begins with a prefix. */
export async function deleteToken(context: Context, prefix: string): Promise<void> {
  await context.instanceClient().delete(`/users/tokens/delete/${encodeURIComponent(prefix)}`);
  context.output.say(`The token ${prefix} was deleted.`);
}
