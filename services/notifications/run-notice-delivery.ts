import type { DeliveryMessageOf } from "../../core/deliveries/message.ts";
import { chooseLane } from "../../core/notifications/delivery.ts";
import { noticeDeliveryObject, noticeObject } from "../../core/notifications/stored-notice.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { OpenedDelivery } from "../deliveries/deliver-message.ts";
import type { Uses } from "../uses.ts";
import { senders } from "./channels/senders.ts";
import { loadNotice } from "./load-notice.ts";
import { noticeProgress } from "./notice-progress.ts";

/** Opens the delivery of a notice about a run to its receiver. `undefined` if the notice or its workspace is gone. */
export async function openRunNotice(
  deps: Uses<"objects" | "webhookKeys" | "topic" | "webhooks" | "nowMs">,
  message: DeliveryMessageOf<"run">,
): Promise<OpenedDelivery | undefined> {
  const notice = await loadNotice(deps, noticeObject.key(message.workspace, message.notice));
  if (notice?.kind !== "run") return undefined;
  const { channel, workspace, id } = notice;
  const key = noticeDeliveryObject.key(workspace, id, channel);
  return {
    id,
    nth: channel,
    lane: chooseLane(channel, message.after),
    ...noticeProgress(deps, { key, sentAtMs: notice.atMs }),
    send: (_progress, answerMs) => senders[channel].sendRunNotice(deps, notice, answerMs),
    async afterAttempt({ outcome }, { attempts }) {
      if (!outcome.ok) countOutcome("NoticesFailed");
      return chooseLane(channel, attempts);
    },
  };
}
