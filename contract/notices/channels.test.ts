import { expect, it } from "vitest";
import { approverChannels, noticeChannelNames, publishedChannels, reportChannels, runNoticeChannels } from "./channels.ts";

it("the lists of channels contain the names that flows, rules and stored records contain", () => {
  expect(noticeChannelNames).toEqual(["email", "topic", "chat", "webhook"]);
  expect(approverChannels).toEqual(["email", "chat", "webhook"]);
  expect(reportChannels).toEqual(["email", "topic", "webhook"]);
  expect(runNoticeChannels).toEqual(["topic", "webhook"]);
  expect(publishedChannels).toEqual(["topic"]);
});
