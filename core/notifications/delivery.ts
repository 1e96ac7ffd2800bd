import * as z from "zod";
import { assertNever } from "../../contract/assert-never.ts";
import { limits } from "../../contract/limits.ts";
import { personKey } from "../people/person.ts";
import { type GateNotice, gateNoticeSchema } from "./notice.ts";

/** One recipient of a notice: the topic, a webhook, or the address of one approver. */
const partSchema = z.object({ channel: z.enum(["topic", "email", "webhook", "chat"]), to: z.string() });
export type NoticePart = z.infer<typeof partSchema>;

/**
 * A part that is not sent yet. `attempts`: the number of started attempts. `heldUntilMs`: an attempt is running, and no other one starts
 * until then.
 */
export const queuedSchema = partSchema.extend({
  workspace: z.string(),
  notice: z.string(),
  attempts: z.int(),
  heldUntilMs: z.number().optional(),
});
export type QueuedPart = z.infer<typeof queuedSchema>;

/** The payload of function `deliver`: the sort keys of the parts to send. `nowMs` replaces the clock. */
export const deliverCallSchema = z.object({ due: z.array(z.string()), nowMs: z.number().optional() });
export type DeliverCall = z.infer<typeof deliverCallSchema>;

/** The outcome of a delivery so far, stored with the flow's job. */
export const deliverySchema = partSchema.extend({
  gate: z.string(),
  what: gateNoticeSchema.shape.what,
  state: z.enum(["sent", "retrying", "failed"]),
  attempts: z.int(),
  atMs: z.number(),
  error: z.string().optional(),
});
export type Delivery = z.infer<typeof deliverySchema>;

/** The outcome of an attempt. `final`: another attempt would end in the same way. */
export type Attempt = { ok: true } | { ok: false; error: string; final: boolean };
export const sentAttempt: Attempt = { ok: true };
/** Returns the outcome of an attempt that would fail in the same way if it were repeated. */
export const refusedAttempt = (error: string): Attempt => ({ ok: false, error, final: true });
/** Returns the outcome of an attempt that may succeed later. */
export const failedAttempt = (error: string): Attempt => ({ ok: false, error, final: false });

/** The notices that request a decision. The others report an outcome. */
const requestsDecision = ({ what }: Pick<GateNotice, "what">) => what === "opened" || what === "reminded" || what === "escalated";

/** Returns the recipients of a notice. `addresses`: the e-mail addresses of the approvers. */
export function splitNotice(notice: GateNotice, addresses: readonly string[]): NoticePart[] {
  const topic: NoticePart = { channel: "topic", to: "topic" };
  switch (notice.channel) {
    case "webhook":
      return [topic, { channel: "webhook", to: hideUrlSecrets(notice.url ?? "") }];
    case "chat":
      return [topic, { channel: "chat", to: "chat" }];
    case "email":
      return requestsDecision(notice) ? [topic, ...mailsTo(notice, addresses)] : [topic];
    default:
      return assertNever(notice.channel);
  }
}

/**
 * Stored instead of an address when a notice has no recipient, so that the missing delivery is visible. The text is the `to` of a delivery in
 * the API and in stored records, so it does not change.
 */
export const NO_RECIPIENT = "nobody";

function mailsTo({ people }: GateNotice, addresses: readonly string[]): NoticePart[] {
  const wanted = addresses.length === 0 && people.length > 0 ? [NO_RECIPIENT] : addresses.slice(0, limits.noticeMails);
  return wanted.map((to) => ({ channel: "email", to }));
}

/** Shown instead of the URL of a webhook that is not an http or https URL. Such a text may contain a secret too. */
const INVALID_URL = "invalid URL";

/** Returns the scheme and the host of a webhook's URL. Its path may be a secret, as with Slack, and so may its query and its credentials. */
export function hideUrlSecrets(url: string): string {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : INVALID_URL;
}

/** Returns the name of a part, which never changes: letters, digits, '-' and '_'. */
export const buildPartName = ({ channel, to }: NoticePart): string => (channel === "email" ? `mail-${personKey(to)}` : channel);

/** Pauses between attempts (design §8). The first attempt is made immediately. */
const PAUSES_MS = [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1000);
const MOST_ATTEMPTS = PAUSES_MS.length + 1;

/** Returns whether no attempt follows after this number of attempts. */
export const isLastAttempt = (attempts: number) => attempts >= MOST_ATTEMPTS;

/** Returns the time of the next attempt (epoch ms). */
export const nextAttemptAtMs = (attempts: number, nowMs: number) => nowMs + (PAUSES_MS[attempts - 1] ?? 0);

/** Builds the record of an attempt. */
export function toDelivery(notice: GateNotice, { channel, to, attempts }: QueuedPart, attempt: Attempt, atMs: number): Delivery {
  const base = { gate: notice.gate, what: notice.what, channel, to, attempts, atMs };
  if (attempt.ok) return { ...base, state: "sent" };
  return { ...base, state: attempt.final || isLastAttempt(attempts) ? "failed" : "retrying", error: attempt.error };
}
