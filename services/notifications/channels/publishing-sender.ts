import type { PublishedChannel } from "../../../contract/notices/channels.ts";
import { buildGateAttributes, buildNoticeEvent } from "../../../core/notifications/event.ts";
import { buildRunAttributes, buildRunEvent } from "../../../core/notifications/run-notice.ts";
import type { GateNoticeSender, RunNoticeSender } from "./sender.ts";

/** Creates the sender of a channel whose notices are published to a service of AWS, for example to the SNS topic of the deployment. */
export const createPublishingSender = (channel: PublishedChannel): GateNoticeSender & RunNoticeSender => ({
  sendGateNotice: ({ noticePublishers, baseUrl }, { notice }) =>
    noticePublishers[channel].publish(JSON.stringify(buildNoticeEvent(baseUrl, notice)), buildGateAttributes(notice)),

  sendRunNotice: ({ noticePublishers }, notice) =>
    noticePublishers[channel].publish(JSON.stringify(buildRunEvent(notice)), buildRunAttributes(notice)),
});
