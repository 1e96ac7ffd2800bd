import { buildNoticeEvent, buildTopicAttributes } from "../../../core/notifications/event.ts";
import { buildRunAttributes, buildRunEvent } from "../../../core/notifications/run-notice.ts";
import type { GateNoticeSender, RunNoticeSender } from "./sender.ts";

/** The SNS topic of the deployment, to which anything can subscribe. */
export const topic: GateNoticeSender & RunNoticeSender = {
  sendGateNotice: (deps, { notice }) =>
    deps.topic.publish(JSON.stringify(buildNoticeEvent(deps.baseUrl, notice)), buildTopicAttributes(notice)),

  sendRunNotice: (deps, notice) => deps.topic.publish(JSON.stringify(buildRunEvent(notice)), buildRunAttributes(notice)),
};
