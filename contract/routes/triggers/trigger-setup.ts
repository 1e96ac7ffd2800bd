import * as z from "zod";

/** The names in commands that prepare the sources of triggers. */
export const triggerSetupSchema = z.object({
  partition: z.string().describe("`aws`, or that of a region of China or of a government."),
  region: z.string(),
  account: z.string(),
  allowed_sources: z.array(z.string()).describe("The ARNs of topics, event buses and buckets that triggers of the workspace may use."),
  mail_domain: z.string().optional().describe("The domain of mail triggers. Absent if the deployment receives no mail."),
  mail_rule_set: z.string().optional().describe("The receipt rule set of SES that must be active."),
});
export type TriggerSetupJson = z.output<typeof triggerSetupSchema>;
