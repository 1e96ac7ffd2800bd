import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import { refusedAttempt } from "../../../core/deliveries/attempt.ts";
import { buildPartName, NO_RECIPIENT, requestsDecision } from "../../../core/notifications/delivery.ts";
import { buildMail, buildOutcomeMail } from "../../../core/notifications/text.ts";
import { findRecipients, findStarter } from "../recipients.ts";
import type { GateNoticeSender } from "./sender.ts";

/** Mail to the approvers of a gate, and about the outcome to the person who started the run. */
export const email: GateNoticeSender = {
  isConfigured: ({ mail }) => mail.hasSender(),

  async sendGateNotice(deps, { notice, part, flowHasEnded, attempts }) {
    const tags = { flow: notice.flow, notice: notice.id, nth: buildPartName(part) };
    if (!requestsDecision(notice)) {
      if (attempts > 1 && !(await findStarter(deps, notice)).includes(part.to))
        return refusedAttempt("the owner of this address may no longer see the run");
      return deps.mail.sendEmail(part.to, buildOutcomeMail(deps.baseUrl, notice), tags);
    }
    if (part.to === NO_RECIPIENT) return refusedAttempt("no approver has an e-mail address in this service");
    // The first mail follows the opening of the gate. Before a later one, the flow may have ended, the gate may have been decided, or the approver may have left.
    if (attempts > 1) {
      if (flowHasEnded || !(await deps.objects.get(pendingGateObject.key(notice.workspace, notice.gate))))
        return refusedAttempt("the flow is no longer waiting for this approval");
      if (!(await findRecipients(deps, notice)).includes(part.to)) return refusedAttempt("the owner of this address may no longer decide");
    }
    return deps.mail.sendEmail(part.to, buildMail(deps.baseUrl, notice), tags);
  },
};
