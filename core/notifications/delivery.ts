import * as z from "zod";
import { assertNever } from "../../contract/assert-never.ts";
import { limits } from "../../contract/limits.ts";
import { personKey } from "../people/person.ts";
import { type GateNotice, gateNoticeSchema } from "./notice.ts";

/** One way that a notice goes: once to the topic, once to a webhook, one mail to each approver. */
const partSchema = z.object({ channel: z.enum(["topic", "email", "webhook", "chat"]), to: z.string() });
export type NoticePart = z.infer<typeof partSchema>;

/** A part that is still to be sent. `attempts`: those that were begun. `heldUntilMs`: one is under way, and nobody else makes another until then. */
export const queuedSchema = partSchema.extend({
  workspace: z.string(),
  notice: z.string(),
  attempts: z.int(),
  heldUntilMs: z.number().optional(),
});
export type QueuedPart = z.infer<typeof queuedSchema>;

/** Has parts sent, by where they stand in the queue. `nowMs`: in place of the clock. */
export const deliverCallSchema = z.object({ due: z.array(z.string()), nowMs: z.number().optional() });
export type DeliverCall = z.infer<typeof deliverCallSchema>;

/** The delivery's outcome so far, stored with the flow's job. */
export const deliverySchema = partSchema.extend({
  gate: z.string(),
  what: gateNoticeSchema.shape.what,
  state: z.enum(["sent", "retrying", "failed"]),
  attempts: z.int(),
  atMs: z.number(),
  error: z.string().optional(),
});
export type Delivery = z.infer<typeof deliverySchema>;

/** How an attempt ended. `final`: another one would end in the same way. */
export type Attempt = { ok: true } | { ok: false; error: string; final: boolean };
export const sentAttempt: Attempt = { ok: true };
export const refusedAttempt = (error: string): Attempt => ({ ok: false, error, final: true });
export const failedAttempt = (error: string): Attempt => ({ ok: false, error, final: false });

/** The notices that request a decision. The others report an outcome. */
const requestsDecision = ({ what }: Pick<GateNotice, "what">) => what === "opened" || what === "reminded" || what === "escalated";

/** All that a notice is sent to. `addresses`: of those who may decide. */
export function splitNotice(notice: GateNotice, addresses: readonly string[]): NoticePart[] {
  const topic: NoticePart = { channel: "topic", to: "topic" };
  switch (notice.channel) {
    case "webhook":
      return [topic, { channel: "webhook", to: shownUrl(notice.url ?? "") }];
    case "chat":
      return [topic, { channel: "chat", to: "chat" }];
    case "email":
      return requestsDecision(notice) ? [topic, ...mailsTo(notice, addresses)] : [topic];
    default:
      return assertNever(notice.channel);
  }
}

/** Stored instead of an address when a notice has no recipient, so that the missing delivery is visible. */
export const NO_RECIPIENT = "nobody";

function mailsTo({ people }: GateNotice, addresses: readonly string[]): NoticePart[] {
  const wanted = addresses.length === 0 && people.length > 0 ? [NO_RECIPIENT] : addresses.slice(0, limits.noticeMails);
  return wanted.map((to) => ({ channel: "email", to }));
}

/** Query and credentials of an address may be secrets of its owner's. */
function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? parsed.origin + parsed.pathname : url;
}

/** Which part of its notice, the same whenever it is asked for: letters, digits, '-' and '_'. */
export const buildPartName = ({ channel, to }: NoticePart): string => (channel === "email" ? `mail-${personKey(to)}` : channel);

/** Pauses between attempts (design §8), the first of which is made at once. */
const PAUSES_MS = [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1000);
const MOST_ATTEMPTS = PAUSES_MS.length + 1;

export const isLastAttempt = (attempts: number) => attempts >= MOST_ATTEMPTS;

/** When a part whose attempt has failed now is tried again. */
export const nextAttemptAtMs = (attempts: number, nowMs: number) => nowMs + (PAUSES_MS[attempts - 1] ?? 0);

/** The recorded outcome of an attempt. */
export function toDelivery(notice: GateNotice, { channel, to, attempts }: QueuedPart, attempt: Attempt, atMs: number): Delivery {
  const base = { gate: notice.gate, what: notice.what, channel, to, attempts, atMs };
  if (attempt.ok) return { ...base, state: "sent" };
  return { ...base, state: attempt.final || isLastAttempt(attempts) ? "failed" : "retrying", error: attempt.error };
}
