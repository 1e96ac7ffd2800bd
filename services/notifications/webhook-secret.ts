import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { DataKeys } from "../../aws/kms/data-keys.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { keys } from "../../core/objects/keys.ts";

export interface WebhookSecretDeps {
  objects: Pick<ObjectTable, "get" | "put">;
  /** Of the purpose `webhooks`. */
  webhookKeys: DataKeys;
  nowMs: () => number;
}

/** The data keys themselves are the secrets: what stands in the table is of no use to who cannot ask KMS. */
const storedSchema = z.object({
  wrapped: z.string(),
  /** What it took the place of. */
  old: z.object({ wrapped: z.string(), untilMs: z.number() }).optional(),
});
type Stored = z.infer<typeof storedSchema>;

const shown = (key: Buffer) => `whsec_${key.toString("base64")}`;

/** As stored; made with the first use. Of two that make one at once, one does. */
async function current(
  { objects, webhookKeys }: WebhookSecretDeps,
  workspace: string,
): Promise<{ stored: Stored; version: string | undefined }> {
  const key = keys.webhookSecret(workspace);
  for (;;) {
    const found = await objects.get(key);
    if (found) return { stored: storedSchema.parse(found.value), version: found.version };
    const { wrapped } = await webhookKeys.generate(workspace);
    const version = randomUUID();
    if (await objects.put({ ...key, value: { wrapped } satisfies Stored, version: version }, "absent"))
      return { stored: { wrapped }, version };
  }
}

/** What a receiver checks signatures with. */
export async function getWebhookSecret(deps: WebhookSecretDeps, workspace: string): Promise<string> {
  const { stored } = await current(deps, workspace);
  return shown(await deps.webhookKeys.unwrap(workspace, stored.wrapped));
}

/** All that a message is signed with now, the current one first: a receiver needs one signature that it knows. */
export async function listSigningSecrets(deps: WebhookSecretDeps, workspace: string): Promise<string[]> {
  const { stored } = await current(deps, workspace);
  const old = stored.old && stored.old.untilMs > deps.nowMs() ? [stored.old.wrapped] : [];
  const all = [stored.wrapped, ...old].map((wrapped) => deps.webhookKeys.unwrap(workspace, wrapped));
  return (await Promise.all(all)).map(shown);
}

/** Answers the new one; the old one signs beside it for a day. Throws `write.collided` where somebody else replaced it at this moment. */
export async function rotateWebhookSecret(deps: WebhookSecretDeps, workspace: string): Promise<string> {
  const { stored, version = "" } = await current(deps, workspace);
  const { key, wrapped } = await deps.webhookKeys.generate(workspace);
  const old = { wrapped: stored.wrapped, untilMs: deps.nowMs() + limits.oldWebhookSecretMs };
  const next = { ...keys.webhookSecret(workspace), value: { wrapped, old } satisfies Stored, version: randomUUID() };
  if (!(await deps.objects.put(next, { version }))) throw new SvcError("write.collided", {});
  return shown(key);
}
