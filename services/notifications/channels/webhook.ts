import type { Attempt } from "../../../core/deliveries/attempt.ts";
import { buildNoticeEvent } from "../../../core/notifications/event.ts";
import { buildRunEvent } from "../../../core/notifications/run-notice.ts";
import { signWebhook } from "../../../core/notifications/webhook.ts";
import type { Uses } from "../../uses.ts";
import { listSigningSecrets } from "../webhook-secret.ts";
import type { GateNoticeSender, RunNoticeSender } from "./sender.ts";

interface Receiver {
  id: string;
  workspace: string;
  url?: string | undefined;
}

/** A `POST` in the form of Standard Webhooks, which the workspace's secret signs. */
export const webhook: GateNoticeSender & RunNoticeSender = {
  sendGateNotice: (deps, { notice, answerMs }) => post(deps, notice, JSON.stringify(buildNoticeEvent(deps.baseUrl, notice)), answerMs),

  sendRunNotice: (deps, notice, answerMs) => post(deps, notice, JSON.stringify(buildRunEvent(notice)), answerMs),
};

async function post(
  deps: Uses<"objects" | "webhookKeys" | "webhooks" | "nowMs">,
  { id, workspace, url = "" }: Receiver,
  body: string,
  answerMs: number,
): Promise<Attempt> {
  const secrets = await listSigningSecrets(deps, workspace);
  return deps.webhooks.post(url, signWebhook(secrets, id, body, deps.nowMs()), body, { answerMs });
}
