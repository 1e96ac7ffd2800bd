import type { Context } from "../../context.ts";
import { readSecret } from "../../output/prompts.ts";

/** Sets the value of a variable from standard input, so that neither the history of the shell nor a file contains it. */
export async function setVariable(
  context: Context,
  path: string,
  { secret, description = "" }: { secret: boolean; description?: string },
): Promise<void> {
  const client = context.client();
  const existing = await client.find.variables.get({ path, query: { decrypt_secret: false } });
  const value = await readSecret("value");
  if (existing) await client.call.variables.update({ path, body: { value } });
  else await client.call.variables.create({ body: { path, value, is_secret: secret, description } });
  const kind = (existing?.is_secret ?? secret) ? "secret" : "variable";
  context.output.say(`The ${kind} ${path} was ${existing ? "changed" : "created"}.`);
}
