import * as z from "zod";

const tag = z.tuple([z.string()]).rest(z.string());
const addressed = z.array(z.object({ diagnosticCode: z.string().optional() }));

/** The event of SES for a mail that was not delivered (EventBridge, `aws.ses`): the delivery and the reason. */
export const bounceSchema = z
  .object({
    source: z.literal("aws.ses"),
    detail: z.object({
      mail: z.object({ tags: z.object({ flow: tag.optional(), notice: tag, nth: tag }) }),
      bounce: z.object({ bounceType: z.string(), bounceSubType: z.string(), bouncedRecipients: addressed }).optional(),
      complaint: z.object({}).optional(),
      reject: z.object({ reason: z.string() }).optional(),
    }),
  })
  .transform(({ detail: { mail, bounce, reject } }) => {
    const diagnostic = bounce?.bouncedRecipients[0]?.diagnosticCode?.slice(0, 300);
    const reason = bounce
      ? `bounced: ${bounce.bounceType}, ${bounce.bounceSubType}${diagnostic ? `, ${diagnostic}` : ""}`
      : reject
        ? `rejected: ${reject.reason}`
        : "the recipient reported it as spam";
    return { flow: mail.tags.flow?.[0], notice: mail.tags.notice[0], nth: mail.tags.nth[0], reason };
  });
