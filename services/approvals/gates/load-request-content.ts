import { defined } from "../../../contract/defined.ts";
import { receivesByUrl } from "../../../contract/notices/channels.ts";
import { argsVisibleTo, PEOPLE, willBeErased } from "../../../core/jobs/record/job.ts";
import { getApproverChannel } from "../../../core/notifications/notice.ts";
import { type RequestContent, selectShownInputs, toDescriptionText } from "../../../core/notifications/request-content.ts";
import { loadJson } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import { loadPrompt } from "../page/load-prompt.ts";
import type { ApprovalRequest } from "./find-approval-request.ts";

/**
 * Loads the content of the mail or the message to the approvers of a gate, without secrets. Empty if none is sent. Neither can be erased, so a run
 * whose data will be erased shows no values in it.
 */
export async function loadRequestContent(
  deps: Uses<"gatedFlows" | "jobs" | "storage">,
  { gate, flow, module }: ApprovalRequest,
): Promise<RequestContent> {
  const { value, suspend } = module;
  if (receivesByUrl(getApproverChannel(module)) || (!gate.opened?.rules.people?.length && !gate.inChat)) return {};
  const { summary, schema } = await deps.gatedFlows.describeFlow(flow);
  const flowContent = summary ? { flowSummary: summary } : {};
  const isErased = willBeErased(flow) || module.delete_after_secs != null;
  if (value.type === "consentgate" || isErased) return flowContent;
  const names = suspend?.inputs ?? [];
  const [prompt, args] = await Promise.all([
    loadPrompt(deps, { gate, module }),
    names.length === 0 ? {} : (loadJson(deps, flow, argsVisibleTo(PEOPLE, flow)) as Promise<Record<string, unknown>>),
  ]);
  const description = toDescriptionText(prompt.description);
  return {
    ...flowContent,
    ...defined({ description }),
    ...(names.length === 0 ? {} : { inputs: selectShownInputs(names, args, schema) }),
  };
}
