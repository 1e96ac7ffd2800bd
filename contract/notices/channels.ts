/** A channel by which people receive notices of approvals and of runs. */
interface Channel {
  /** The receivers of a notice: e-mail addresses, the URL that an author names, or the channel itself, which is one receiver. */
  readonly receivers: "addresses" | "url" | "channel";
  /** Whether a ConsentGate can choose the channel for its approvers. */
  readonly asksApprovers: boolean;
  /** Whether a rule of `failure_notices` can choose the channel. Its field in the rule follows from the receivers. */
  readonly reportsRuns: boolean;
  /** The effect of a rule that chooses the channel, for the API document. */
  readonly rule?: string;
  /** Notices are published as JSON to a service of AWS, by the publisher of the channel. Absent: the channel has a sender. */
  readonly isPublished?: true;
}

/**
 * The channels of notices. Schemas, records and rules derive their lists of channels from this table, in its order, and
 * `services/notifications/channels/` contains the sender of each that is not published. Stored records contain these names, so a name never changes.
 */
export const noticeChannels = {
  email: { receivers: "addresses", asksApprovers: true, reportsRuns: true },
  topic: {
    receivers: "channel",
    asksApprovers: false,
    reportsRuns: true,
    rule: "Publish to the topic of the deployment.",
    isPublished: true,
  },
  chat: { receivers: "channel", asksApprovers: true, reportsRuns: false },
  webhook: { receivers: "url", asksApprovers: true, reportsRuns: true },
} as const satisfies Record<string, Channel>;

type Channels = typeof noticeChannels;
export type NoticeChannel = keyof Channels;
type ChannelWith<Facts> = { [Name in NoticeChannel]: Channels[Name] extends Facts ? Name : never }[NoticeChannel];

/** A channel that a ConsentGate can choose. */
export type ApproverChannel = ChannelWith<{ asksApprovers: true }>;
/** A channel that a rule of `failure_notices` can choose. */
export type ReportChannel = ChannelWith<{ reportsRuns: true }>;
/** A channel whose notices are published to a service of AWS. */
export type PublishedChannel = ChannelWith<{ isPublished: true }>;
/** A channel of notices of runs. Reports to e-mail addresses are mails, which are notices of another kind. */
export type RunNoticeChannel = Exclude<ReportChannel, ChannelWith<{ receivers: "addresses" }>>;

export const noticeChannelNames = Object.keys(noticeChannels) as NoticeChannel[];
export const approverChannels = noticeChannelNames.filter((name): name is ApproverChannel => noticeChannels[name].asksApprovers);
export const reportChannels = noticeChannelNames.filter((name): name is ReportChannel => noticeChannels[name].reportsRuns);
export const publishedChannels = noticeChannelNames.filter((name): name is PublishedChannel => "isPublished" in noticeChannels[name]);
export const runNoticeChannels = reportChannels.filter((name): name is RunNoticeChannel => !receivesByAddress(name));

/** Returns whether each receiver of a channel is an e-mail address. */
export function receivesByAddress(channel: NoticeChannel): boolean {
  return noticeChannels[channel].receivers === "addresses";
}

/** Returns whether the receiver of a channel is a URL, which an author names and which may contain a secret. */
export function receivesByUrl(channel: NoticeChannel): boolean {
  return noticeChannels[channel].receivers === "url";
}

/** Returns the effect of a rule that chooses the channel, if its row states it. */
export function findRuleText(channel: NoticeChannel): string | undefined {
  const { rule }: Channel = noticeChannels[channel];
  return rule;
}
