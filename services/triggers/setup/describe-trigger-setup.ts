import type { TriggerSetupJson } from "../../../contract/routes/triggers/trigger-setup.ts";
import type { Uses } from "../../uses.ts";
import { loadAllowedSources } from "../sources.ts";

/** Returns what the commands contain that prepare the sources of a workspace's triggers. */
export async function describeTriggerSetup(
  { objects, triggerQueueArn, mailDomain, stack }: Uses<"objects" | "triggerQueueArn" | "mailDomain" | "stack">,
  workspace: string,
): Promise<TriggerSetupJson> {
  const [, partition = "", , region = "", account = ""] = triggerQueueArn.split(":");
  const allowed = await loadAllowedSources(objects);
  const mail = mailDomain === undefined ? {} : { mail_domain: mailDomain, mail_rule_set: `${stack}-mail` };
  return { partition, region, account, allowed_sources: [...(allowed[workspace] ?? [])], ...mail };
}
