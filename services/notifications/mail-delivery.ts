import * as z from "zod";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Mail } from "../../aws/ses/mail.ts";
import { progressSchema } from "../../core/deliveries/claim.ts";
import type { DeliveryMessageOf } from "../../core/deliveries/message.ts";
import { buildPartName } from "../../core/notifications/delivery.ts";
import { buildPlainMail } from "../../core/notifications/text.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseObject } from "../../core/objects/parse-object.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { OpenedDelivery } from "../deliveries/deliver-message.ts";
import { MAIL_RETENTION_S } from "../outbox/mail.ts";
import { toExpectation } from "./delivery-records.ts";
import { loadNotice } from "./load-notice.ts";

export interface MailDeliveryDeps {
  objects: ObjectTable;
  mail: Mail;
  baseUrl: string;
  nowMs: () => number;
}

const recordSchema = z.object({ ...progressSchema.shape, to: z.string(), atMs: z.number(), error: z.string().optional() });

/** Opens the delivery of a mail to one address. `undefined` if the mail or its workspace is gone, or the deployment sends no mails: that is no failure. */
export async function openMail(deps: MailDeliveryDeps, message: DeliveryMessageOf<"mail">): Promise<OpenedDelivery | undefined> {
  const notice = await loadNotice(deps, keys.notice(message.workspace, message.notice));
  if (notice?.kind !== "mail" || !deps.mail.hasSender()) return undefined;
  const { to } = message;
  const nth = buildPartName({ channel: "email", to });
  const key = keys.mailDelivery(notice.workspace, notice.id, nth);
  return {
    id: notice.id,
    nth,
    lane: "fast",
    isLoaded: false,
    async load() {
      const found = await deps.objects.get(key);
      return found && { progress: parseObject(recordSchema, found), version: Number(found.version) };
    },
    store({ progress, version, after, attempt }) {
      const error = attempt?.outcome && !attempt.outcome.ok ? { error: attempt.outcome.error } : {};
      const value = { ...progress, to, atMs: deps.nowMs(), ...error } satisfies z.infer<typeof recordSchema>;
      const expiresAtS = Math.ceil(notice.atMs / 1000) + MAIL_RETENTION_S;
      return deps.objects.put({ ...key, value, version: String(version), expiresAtS }, toExpectation(after));
    },
    send: () => deps.mail.sendEmail(to, buildPlainMail(deps.baseUrl, notice), { notice: notice.id, nth }),
    async afterAttempt({ outcome }) {
      if (!outcome.ok) countOutcome("NoticesFailed");
      return "fast";
    },
  };
}
