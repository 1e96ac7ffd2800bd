import type { DeliveryMessageOf } from "../../core/deliveries/message.ts";
import { buildPartName } from "../../core/notifications/delivery.ts";
import { noticeDeliveryObject, noticeObject } from "../../core/notifications/stored-notice.ts";
import { buildPlainMail } from "../../core/notifications/text.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { OpenedDelivery } from "../deliveries/deliver-message.ts";
import type { Uses } from "../uses.ts";
import { loadNotice } from "./load-notice.ts";
import { noticeProgress } from "./notice-progress.ts";

/**
 * Opens the delivery of a mail to one address. `undefined` if the mail or its workspace is gone, or the deployment sends no mails, which is not a
 * failure.
 */
export async function openMail(
  deps: Uses<"objects" | "mail" | "nowMs" | "baseUrl">,
  message: DeliveryMessageOf<"mail">,
): Promise<OpenedDelivery | undefined> {
  const notice = await loadNotice(deps, noticeObject.key(message.workspace, message.notice));
  if (notice?.kind !== "mail" || !deps.mail.hasSender()) return undefined;
  const { to } = message;
  const nth = buildPartName({ channel: "email", to });
  const key = noticeDeliveryObject.key(notice.workspace, notice.id, nth);
  return {
    id: notice.id,
    nth,
    lane: "fast",
    ...noticeProgress(deps, { key, sentAtMs: notice.atMs, to }),
    send: () => deps.mail.sendEmail(to, buildPlainMail(deps.baseUrl, notice), { notice: notice.id, nth }),
    async afterAttempt({ outcome }) {
      if (!outcome.ok) countOutcome("NoticesFailed");
      return "fast";
    },
  };
}
