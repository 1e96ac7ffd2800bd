import { createHash } from "node:crypto";
import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import { limits } from "../../contract/limits.ts";
import { noticeChannels, type ReportChannel, receivesByAddress, reportChannels } from "../../contract/notices/channels.ts";
import type { FailureNoticeRule, OwnFailureNotice, ShownFailureNotice } from "../../contract/routes/workspaces/failure-notices.ts";
import type { Job } from "../jobs/record/job.ts";
import { shortenText } from "../notifications/event.ts";
import type { RunNotice } from "../notifications/run-notice.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";

/** A receiver of notices about failures. `to`: an e-mail address, the URL of a webhook, or the name of the channel. */
export interface Receiver {
  channel: ReportChannel;
  to: string;
}

/** The notices about one script or flow, by receiver: the job of the last one, its time, and whether the receiver waits for a recovery. */
export const noticedFailuresSchema = z.object({
  receivers: z.record(z.string(), z.object({ job: z.string(), atMs: z.number(), failing: z.boolean() })),
});
export type NoticedFailures = z.infer<typeof noticedFailuresSchema>;

/**
 * Returns whether a rule applies to a script or flow. A rule without a path applies to all, one with `/*` at its end to all below that path, any
 * other to one.
 */
export function ruleMatches({ path: pattern }: Pick<FailureNoticeRule, "path">, path: string): boolean {
  if (pattern === undefined) return true;
  return pattern.endsWith("/*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

/** Returns whether authors of a script or flow may set such a rule: it names only members. */
const namesOnlyMembers = (rule: FailureNoticeRule): boolean =>
  reportChannels.every((channel) => rule[channel] === undefined || receivesByAddress(channel)) &&
  (rule.email ?? []).every((one) => !one.includes("@"));

/** Returns each receiver of some rules once. `addresses`: those of the people whom the rules name. */
export const listReceivers = (rules: readonly FailureNoticeRule[], addresses: readonly string[]): Receiver[] =>
  reportChannels.flatMap((channel) => {
    const named = rules.flatMap((rule) => rule[channel] ?? []);
    const urls = named.filter((receiver) => typeof receiver === "string");
    const self = named.length > 0 ? [channel] : [];
    const all = { addresses, url: new Set(urls), channel: self }[noticeChannels[channel].receivers];
    return [...all].map((to) => ({ channel, to }));
  });

/** Returns the rule that the authors of a script or flow have set. Empty if there is none. */
export function findOwnRule(rules: readonly FailureNoticeRule[], path: string): ShownFailureNotice {
  const { email, on_recovery } = rules.find((rule) => rule.path === path && namesOnlyMembers(rule)) ?? {};
  return { ...defined({ email }), ...(on_recovery ? { on_recovery } : {}) };
}

/** Replaces the rule that names members for one script or flow. Rules that only admins may set remain. */
export function replaceOwnRule(
  rules: readonly FailureNoticeRule[],
  path: string,
  { email, on_recovery }: OwnFailureNotice,
): FailureNoticeRule[] {
  const others = rules.filter((rule) => rule.path !== path || !namesOnlyMembers(rule));
  return email?.length ? [...others, { path, email, ...(on_recovery ? { on_recovery } : {}) }] : others;
}

/** The kinds of ends that notices report. A cancellation is not a failure, and a skipped run is not a recovery. */
export type Reported = RunNotice["what"];
export const toReported = (state: Job["state"]): Reported | undefined =>
  state === "failed" ? "failed" : state === "succeeded" ? "recovered" : undefined;

/** The name of a receiver among those of a script or flow. It contains no URL, whose path may be a secret. */
const receiverKey = ({ channel, to }: Receiver): string =>
  noticeChannels[channel].receivers === "channel"
    ? channel
    : `${channel} ${createHash("sha256").update(to.toLowerCase()).digest("hex").slice(0, 32)}`;

/**
 * Returns the receivers of a notice about the end of a job, and the updated record of the notices. A failure is reported to a receiver at most
 * once an hour, and a recovery only after a reported failure. The same job is reported once.
 */
export function findDueReceivers(
  noticed: NoticedFailures,
  receivers: readonly Receiver[],
  { outcome, job, atMs }: { outcome: Reported; job: string; atMs: number },
): { due: Receiver[]; noticed: NoticedFailures } {
  const noticeByReceiver = new Map(Object.entries(noticed.receivers));
  const due = receivers.filter((receiver) => {
    const last = noticeByReceiver.get(receiverKey(receiver));
    if (outcome === "recovered") return last?.failing === true && last.job !== job;
    return last === undefined || (last.job !== job && last.atMs + limits.failureNoticeMs <= atMs);
  });
  for (const receiver of due) {
    const key = receiverKey(receiver);
    // A recovery does not allow an earlier notice of the next failure.
    noticeByReceiver.set(key, {
      job,
      atMs: outcome === "failed" ? atMs : (noticeByReceiver.get(key)?.atMs ?? atMs),
      failing: outcome === "failed",
    });
  }
  return { due, noticed: { receivers: Object.fromEntries(noticeByReceiver) } };
}

const TEXT_CHARS = 500;

/** Returns the name and the message of an error, cut to a length. Notices contain nothing else of a result. */
export function summarizeError(error: unknown): { name: string; message: string } {
  const { name, message } = typeof error === "object" && error !== null ? (error as { name?: unknown; message?: unknown }) : {};
  const text = (value: unknown, absent: string) => shortenText(typeof value === "string" && value !== "" ? value : absent, TEXT_CHARS);
  return { name: text(name, "Error"), message: text(message, "The run failed without a message.") };
}

/** The notices about the failures of a script or flow. */
export const noticedFailuresObject = defineObject({
  name: "notices about failures",
  partition: "FAILURES",
  ...inWorkspace,
  sort: (kind: "script" | "flow", path: string) => `${kind} ${path}`,
  schema: noticedFailuresSchema,
});
