import { v5 as uuidv5 } from "uuid";
import { actions } from "../../../contract/access/actions.ts";
import { type Attempt, refusedAttempt, sentAttempt } from "../../../core/deliveries/attempt.ts";
import { isLastAttempt } from "../../../core/deliveries/schedule.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { type NoticePart, splitMails } from "../../../core/notifications/delivery.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import { personKey } from "../../../core/people/person.ts";
import { may } from "../../../core/permissions/may.ts";
import { loadChatCredential } from "../../chats/load-credential.ts";
import { isWaiting, postMessage } from "../../chats/post-message.ts";
import { findApproversInChat } from "../../chats/recipients/find-approvers.ts";
import type { SendingPorts } from "../../deliveries/deliver-message.ts";
import { sendDeliveries } from "../../deliveries/queue-attempts.ts";
import { loadJobActor } from "../../identity/identify.ts";
import { findRecipients } from "../recipients.ts";
import type { GateNoticeAttempt } from "./sender.ts";

/** An attempt to post a request. `unreached`: the approvers who get a mail if it has failed for good; absent: all of them. */
interface PostedRequest {
  attempt: Attempt;
  unreached?: readonly string[];
}

/**
 * Posts the request of a ConsentGate: into its channel, to one person, or, without a channel, to each approver who can be found and into the default
 * channel for the others. If that fails for good, the approvers get mails.
 */
export async function requestInChat(deps: SendingPorts, attempt: GateNoticeAttempt): Promise<Attempt> {
  const { notice, part, flowHasEnded, attempts } = attempt;
  if (attempts > 1) {
    if (flowHasEnded || !(await isWaiting(deps, notice))) return refusedAttempt("the flow is no longer waiting for this approval");
    if (part.person !== undefined && !(await findRecipients(deps, notice)).includes(part.to))
      return refusedAttempt("the owner of this address may no longer decide");
  }
  const { attempt: outcome, unreached } = await postRequest(deps, notice, part);
  // The mails are queued before the failure is stored: a repeated attempt queues the same ones, and their records recognise them.
  if (!outcome.ok && (outcome.final || isLastAttempt(attempts)))
    await queueParts(deps, notice, splitMails(notice, unreached ?? (await findRecipients(deps, notice))));
  return outcome;
}

async function postRequest(deps: SendingPorts, notice: GateNotice, { person, to }: NoticePart): Promise<PostedRequest> {
  const { workspace, chat: target, gate } = notice;
  if (!target) return { attempt: refusedAttempt("the flow names no resource of a chat application") };
  const { resource, channel } = target;
  const flow = await deps.jobs.get(notice.flow);
  const owner = flow && (await loadJobActor(deps.objects, flow));
  if (!flow || !owner || !may(owner, actions.readResource.access, { workspace, path: resource }))
    return { attempt: refusedAttempt(`the user whose rights the flow has may not read the resource ${resource}`) };
  const post = { flow, resource, request: notice };
  if (person !== undefined) {
    // The same for each notice of the gate, so that an escalation posts no second message.
    const id = uuidv5(`direct ${personKey(to)}`, gate);
    return { attempt: await postMessage(deps, { ...post, id, person }), unreached: [to] };
  }
  if (channel !== undefined) return { attempt: await postMessage(deps, { ...post, id: notice.id, channel }) };
  return requestFromEach(deps, post);
}

/** Queues a direct message to each approver who can be found in the chat. The others get one message in the default channel, or mails. */
async function requestFromEach(deps: SendingPorts, post: { flow: Job; resource: string; request: GateNotice }): Promise<PostedRequest> {
  const { resource, request: notice } = post;
  const credential = await loadChatCredential(deps, { workspace: notice.workspace, path: resource });
  if (typeof credential === "string") return { attempt: refusedAttempt(credential) };
  const found = await findApproversInChat(deps, credential, await findRecipients(deps, notice));
  if (!found.ok) return { attempt: found };
  const { direct, others } = found.value;
  const parts = direct.map(({ email: to, person }): NoticePart => ({ channel: "chat", to, person }));
  await queueParts(deps, notice, parts);
  if (direct.length > 0 && others.length === 0) return { attempt: sentAttempt };
  if (credential.default_channel !== undefined)
    return { attempt: await postMessage(deps, { ...post, id: uuidv5("default channel", notice.gate) }), unreached: others };
  if (direct.length === 0)
    return { attempt: refusedAttempt("no approver has connected an account in this chat, and the resource names no default channel") };
  await queueParts(deps, notice, splitMails(notice, others));
  return { attempt: sentAttempt };
}

/** Queues deliveries of a notice. A repeated call queues the same ones, which their claims recognize. */
const queueParts = (deps: SendingPorts, { workspace, id }: GateNotice, parts: readonly NoticePart[]): Promise<void> =>
  sendDeliveries(
    deps,
    parts.map((part) => ({ message: { kind: "notice", workspace, notice: id, ...part, after: 0 }, lane: "fast" })),
  );
