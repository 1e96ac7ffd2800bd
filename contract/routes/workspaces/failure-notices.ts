import * as z from "zod";
import { limits } from "../../limits.ts";
import { findRuleText, noticeChannels, type ReportChannel, reportChannels } from "../../notices/channels.ts";
import { webhookUrl } from "../events/webhook-url.ts";

/** The path of a script or flow, or with `/*` at the end, of all below a path. */
const rulePath = z
  .string()
  .max(250)
  .regex(/^[uf]\/[\w-]+(\/[\w.-]+)*(\/\*)?$/, "must be the path of a script or flow, or a path with /* at its end such as f/ops/*");

const principal = z
  .string()
  .max(255)
  .regex(/^(u\/[\w.-]+|g\/[\w.-]+|role:admin|[^\s@/]+@[^\s@/]+)$/, "must be u/<user>, g/<group>, role:admin or an e-mail address");

/** The field of a rule by the receivers of its channel. */
const fields = {
  addresses: z.array(principal).min(1).max(limits.failureNoticePeople).optional(),
  channel: z.literal(true).optional(),
  url: webhookUrl.optional(),
};

/** The receivers of a rule by their channel. */
const receivers = Object.fromEntries(
  reportChannels.map((name) => {
    const field = fields[noticeChannels[name].receivers];
    const text = findRuleText(name);
    return [name, text === undefined ? field : field.describe(text)];
  }),
) as { readonly [Name in ReportChannel]: (typeof fields)[(typeof noticeChannels)[Name]["receivers"]] };
const receiverNames = `${reportChannels.slice(0, -1).join(", ")} or ${reportChannels.at(-1)}`;

export const failureNoticeRuleSchema = z
  .strictObject({
    path: rulePath.optional().describe("Default: every script and flow of the workspace."),
    ...receivers,
    on_recovery: z.boolean().optional().describe("Report the first success after a reported failure too."),
  })
  .refine((rule) => reportChannels.some((channel) => rule[channel]), `must name a receiver: ${receiverNames}`);
export type FailureNoticeRule = z.output<typeof failureNoticeRuleSchema>;

/** The receivers of notices about failures. */
export const failureNoticesSchema = z.object({ rules: z.array(failureNoticeRuleSchema).max(limits.failureNoticeRules) });
export type FailureNotices = z.output<typeof failureNoticesSchema>;

/** Only members: authors of a script or flow may not choose an address outside the workspace. */
const memberPrincipal = z
  .string()
  .max(255)
  .regex(/^(u\/[\w.-]+|g\/[\w.-]+|role:admin)$/, "must be u/<user>, g/<group> or role:admin");

/** The rule of one script or flow, which every user with write access can set. */
export const ownFailureNoticeSchema = z.strictObject({
  email: z.array(memberPrincipal).max(limits.failureNoticePeople).nullish().describe("Without it, the rule is removed."),
  on_recovery: z.boolean().nullish().describe("Report the first success after a reported failure too."),
});
/** The rule in replies: empty if there is none. */
export const shownFailureNoticeSchema = z.object({ email: z.array(z.string()).optional(), on_recovery: z.boolean().optional() });
export type ShownFailureNotice = z.output<typeof shownFailureNoticeSchema>;
export type OwnFailureNotice = z.output<typeof ownFailureNoticeSchema>;
