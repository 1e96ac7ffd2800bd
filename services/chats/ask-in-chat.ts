import { v5 as uuidv5 } from "uuid";
import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { markInChat } from "../../core/approvals/gate.ts";
import type { ChatButtons } from "../../core/chats/chat-message.ts";
import { type FormOptionTexts, parseFormOptions } from "../../core/chats/form/parse-form-options.ts";
import { may } from "../../core/permissions/may.ts";
import { changeGate } from "../approvals/gates/change-gate.ts";
import { findApprovalRequest } from "../approvals/gates/find-approval-request.ts";
import { findJob, type JobAddress, type JobCaller } from "../jobs/read/read.ts";
import { buildNotice } from "../outbox/notice.ts";
import type { Uses } from "../uses.ts";

/** A message that a step asks for while it runs: its flow waits once the step has ended. */
interface Ask {
  resource: string;
  channel?: string | undefined;
  /** The id of the step, which must be that of the job. */
  step: string;
  message?: string | undefined;
  approver?: string | undefined;
  buttons: ChatButtons;
  form: FormOptionTexts;
}

/**
 * Posts a message that asks for the decision of a step. A repeated call with the same resource and channel posts nothing. Throws `job.notFound`, `approval.none`,
 * `approval.over` and `chat.notPosted`.
 */
export async function askInChat(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "functions" | "nowMs">,
  caller: JobCaller,
  { workspace, id }: JobAddress,
  { resource, channel, step, message, approver, buttons, form: texts }: Ask,
): Promise<void> {
  const form = parseFormOptions(texts);
  if (typeof form === "string") throw new SvcError("chat.notPosted", { reason: form });
  const job = await findJob(deps, caller, { workspace, id });
  if (job.step?.id !== step) throw new SvcError("approval.none", { id });
  if (!may(caller.actor, actions.readResource.access, { workspace, path: resource }))
    throw new SvcError("chat.notPosted", { reason: `there is no resource ${resource}, or you may not read it` });
  const request = await findApprovalRequest(deps, workspace, id);
  const { suspend } = request.module;
  await changeGate(deps, request, markInChat);
  const notice = buildNotice(deps.nowMs(), "opened", request);
  const attempt = await deps.functions.requestPost({
    kind: "chatPost",
    id: uuidv5(`${resource} ${channel ?? ""}`, id),
    resource,
    ...defined({ channel }),
    request: {
      ...notice,
      required: suspend?.required_events ?? 1,
      people: approver === undefined ? [] : [approver],
      ...defined({ message }),
    },
    buttons: { ...buttons, hidesReject: suspend?.hide_cancel === true },
    form,
  });
  if (!attempt.ok) throw new SvcError("chat.notPosted", { reason: attempt.error });
}
