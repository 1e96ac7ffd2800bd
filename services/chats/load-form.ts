import { isJsonObject } from "../../contract/json/json-object.ts";
import type { ChatMessage } from "../../core/chats/chat-message.ts";
import { type ChatForm, toChatFields } from "../../core/chats/form/chat-form.ts";
import { willBeErased } from "../../core/jobs/record/job.ts";
import { approvalPageUrl } from "../../core/notifications/event.ts";
import type { ApprovalRequest } from "../approvals/gates/find-approval-request.ts";
import { loadPrompt } from "../approvals/page/load-prompt.ts";
import type { Uses } from "../uses.ts";

/**
 * Loads the form of a step for the people who may decide, or the reason for which only the page can show it. `undefined`: the step has no form. The values and choices of
 * the message replace those that the step has returned; the step's choices remain the only ones that are accepted.
 */
export async function loadChatForm(
  deps: Uses<"jobs" | "storage" | "baseUrl">,
  request: ApprovalRequest,
  message: ChatMessage,
): Promise<ChatForm | string | undefined> {
  const { module, flow } = request;
  const schema = module.suspend?.resume_form?.["schema"];
  if (!isJsonObject(schema)) return undefined;
  const prompt = await loadPrompt(deps, request);
  const fields = toChatFields(schema, {
    defaults: { ...prompt.default_args, ...message.form?.defaults },
    enums: { ...prompt.enums, ...message.form?.enums },
  });
  if (typeof fields === "string") return fields;
  if (fields.length === 0) return undefined;
  if (willBeErased(flow) || module.delete_after_secs != null) return "the data of this run will be erased, and a chat may keep it";
  return { title: message.shown.step, page: approvalPageUrl(deps.baseUrl, message), fields };
}
