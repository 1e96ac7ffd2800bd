import { Webhook } from "standardwebhooks";

/**
 * Returns the headers of a webhook by Standard Webhooks, with one signature for each secret. All attempts have the same id, so that
 * receivers can detect duplicates.
 */
export function signWebhook(secrets: readonly string[], id: string, body: string, nowMs: number): Record<string, string> {
  const at = new Date(nowMs);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(nowMs / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
  };
}
