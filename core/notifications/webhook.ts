import { Webhook } from "standardwebhooks";

/** Headers by Standard Webhooks: one signature for each secret. The id is the message's in each attempt, so that receivers know it again. */
export function signWebhook(secrets: readonly string[], id: string, body: string, nowMs: number): Record<string, string> {
  const at = new Date(nowMs);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(nowMs / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
  };
}
