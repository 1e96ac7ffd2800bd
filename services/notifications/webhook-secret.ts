import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { PromiseCache } from "../../contract/utilities/promise-cache.ts";
import { webhookSecretObject } from "../../core/notifications/webhook-secret.ts";
import type { ValueOf } from "../../core/objects/define-object.ts";
import { maskForJob, revealSecrets, type SecretReader } from "../secrets/reveal.ts";
import type { Uses } from "../uses.ts";

/** The secrets are data keys, and the table contains only their wrapped form, which cannot be used without KMS. */
type StoredSecret = ValueOf<typeof webhookSecretObject>;

/** The secrets that this process has unwrapped, by their wrapped form, which changes with each rotation. */
const unwrapped = new PromiseCache<string, Buffer>();

const formatSecret = (key: Buffer) => `whsec_${key.toString("base64")}`;

/** Loads the stored secret of a workspace. The first use creates it; concurrent first uses create one. */
async function loadCurrentSecret(
  { objects, webhookKeys }: Uses<"objects" | "webhookKeys">,
  workspace: string,
): Promise<{ stored: StoredSecret; version: string | undefined }> {
  const key = webhookSecretObject.key(workspace);
  for (;;) {
    const found = await objects.get(key);
    if (found) return { stored: webhookSecretObject.parse(found), version: found.version };
    const { wrapped } = await webhookKeys.generate(workspace);
    const version = randomUUID();
    if (await objects.put({ ...key, value: { wrapped } satisfies StoredSecret, version: version }, "absent"))
      return { stored: { wrapped }, version };
  }
}

/** Returns the secret with which receivers verify the signatures of webhooks. Its read has an entry in the audit log. */
export async function getWebhookSecret(deps: Uses<"jobs" | "objects" | "webhookKeys" | "nowMs">, reader: SecretReader): Promise<string> {
  const { workspace } = reader;
  const { stored } = await loadCurrentSecret(deps, workspace);
  const secret = formatSecret(await deps.webhookKeys.unwrap(workspace, stored.wrapped));
  await revealSecrets(deps, reader, { secrets: [secret] });
  return secret;
}

/** Returns all secrets with which a message is signed now, the current one first: a receiver needs one signature that it can verify. */
export async function listSigningSecrets(deps: Uses<"objects" | "webhookKeys" | "nowMs">, workspace: string): Promise<string[]> {
  const { stored } = await loadCurrentSecret(deps, workspace);
  const old = stored.old && stored.old.untilMs > deps.nowMs() ? [stored.old.wrapped] : [];
  // A call of KMS for each message would cost more than the rest of its delivery.
  const options = { nowMs: deps.nowMs(), forMs: limits.dataKeyCacheMs };
  const all = [stored.wrapped, ...old].map((wrapped) =>
    unwrapped.get(`${workspace} ${wrapped}`, () => deps.webhookKeys.unwrap(workspace, wrapped), options),
  );
  return (await Promise.all(all)).map(formatSecret);
}

/**
 * Replaces the secret and returns the new one. The entry in the audit log is that of the change. Messages are signed with the old one too for `limits.oldWebhookSecretMs`. Throws
 * `write.collided` if another call replaced it at the same time.
 */
export async function rotateWebhookSecret(deps: Uses<"jobs" | "objects" | "webhookKeys" | "nowMs">, reader: SecretReader): Promise<string> {
  const { workspace } = reader;
  const { stored, version = "" } = await loadCurrentSecret(deps, workspace);
  const { key, wrapped } = await deps.webhookKeys.generate(workspace);
  const secret = formatSecret(key);
  await maskForJob(deps, reader, [secret]);
  const old = { wrapped: stored.wrapped, untilMs: deps.nowMs() + limits.oldWebhookSecretMs };
  const next = { ...webhookSecretObject.key(workspace), value: { wrapped, old } satisfies StoredSecret, version: randomUUID() };
  if (!(await deps.objects.put(next, { version }))) throw new SvcError("write.collided", {});
  return secret;
}
