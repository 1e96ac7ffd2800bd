import { setTimeout as sleep } from "node:timers/promises";
import { defined } from "../../contract/defined.ts";
import { pendingGateObject } from "../../core/approvals/pending-gate.ts";
import { type ChatPost, RUN_OVER, type ShownDecision, toShownDecision } from "../../core/chats/chat-call.ts";
import { buildDecidedContent, buildRequestContent } from "../../core/chats/chat-content.ts";
import type { ChatCredential } from "../../core/chats/chat-credential.ts";
import { type ChatButtons, type ChatFormOptions, type ChatMessage, toReference } from "../../core/chats/chat-message.ts";
import { type Attempt, refusedAttempt, sentAttempt } from "../../core/deliveries/attempt.ts";
import { hasEnded, type Job } from "../../core/jobs/record/job.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import type { VendorAnswer } from "../../ports/chats.ts";
import { loadGate } from "../approvals/gates/change-gate.ts";
import type { Uses } from "../uses.ts";
import { loadChatCredential } from "./load-credential.ts";
import { completeChatMessage, findChatMessage, storeChatMessage } from "./messages.ts";
import { findTeamsServer } from "./teams/find-place.ts";

type PostingPorts = Uses<"jobs" | "objects" | "chatKeys" | "chats" | "nowMs" | "baseUrl">;

/** A request for a decision that is posted once. */
interface RequestedPost {
  /** The id of the message, which is the same in each attempt. */
  id: string;
  flow: Job;
  resource: string;
  channel?: string | undefined;
  /** The person in the chat who gets a direct message, instead of a channel. */
  person?: string | undefined;
  request: GateNotice;
  buttons?: ChatButtons | undefined;
  form?: ChatFormOptions | undefined;
}

/**
 * Posts a request and stores its place. If the process dies in between, the next attempt posts a second message, unless the
 * vendor recognises the id. The buttons of the first one then have no record and decide nothing.
 */
export async function postMessage(
  deps: PostingPorts,
  { id, flow, resource, channel, person, request, buttons = {}, form }: RequestedPost,
): Promise<Attempt> {
  const { workspace, gate } = request;
  const reference = { flow: flow.id, gate, id };
  if (await findChatMessage(deps, reference)) return sentAttempt;
  const credential = await loadChatCredential(deps, { workspace, path: resource });
  if (typeof credential === "string") return refusedAttempt(credential);
  const target = await findTarget(deps, credential, { workspace, resource, channel, person });
  if (!target.ok) return target;
  const content = buildRequestContent(deps.baseUrl, request, toReference(reference), buttons);
  const posted = await deps.chats.post(credential, { ...target.value, key: id }, content);
  if (!posted.ok) return posted;
  const message: ChatMessage = { ...reference, ...posted.value, workspace, resource, shown: request, buttons, form, atMs: deps.nowMs() };
  await storeChatMessage(deps, message, flow);
  const outcome = await findOutcome(deps, request);
  return outcome ? showDecision(deps, message, outcome) : sentAttempt;
}

/** Returns the direct messages with the person, or the channel. */
async function findTarget(
  deps: PostingPorts,
  credential: ChatCredential,
  {
    workspace,
    resource,
    channel = credential.default_channel,
    person,
  }: Pick<RequestedPost, "resource" | "channel" | "person"> & { workspace: string },
): ReturnType<PostingPorts["chats"]["openDirectMessage"]> {
  if (person !== undefined) return deps.chats.openDirectMessage(credential, person);
  if (channel !== undefined) {
    const isTeams = credential.type === "ms_teams_bot";
    const server = isTeams ? await findTeamsServer(deps, { workspace, resource, conversation: channel }) : undefined;
    return { ok: true, value: { channel, ...defined({ server }) } };
  }
  return { ok: false, final: true, error: "neither the flow nor the resource names a channel" };
}

/** Returns the outcome of a request that was decided, or whose run has ended, while its message was posted or changed: its notice may have come too early. */
async function findOutcome(
  { jobs, nowMs }: PostingPorts,
  { gate: id, flow: flowId }: Pick<GateNotice, "gate" | "flow">,
): Promise<ShownDecision | undefined> {
  const [gate, flow] = await Promise.all([loadGate({ jobs }, id), jobs.get(flowId)]);
  if (gate?.decision) return toShownDecision(gate.decision);
  return flow && hasEnded(flow) ? { how: RUN_OVER, atMs: nowMs() } : undefined;
}

/** Returns whether a gate waits for a decision. */
export const isWaiting = async ({ objects }: Uses<"objects">, { workspace, gate }: Pick<GateNotice, "workspace" | "gate">) =>
  (await objects.get(pendingGateObject.key(workspace, gate))) !== undefined;

/** Makes a call of the vendor about a posted message, with the resource by which it was posted. */
export async function callForMessage(
  deps: PostingPorts,
  { workspace, resource: path }: Pick<ChatMessage, "workspace" | "resource">,
  call: (credential: ChatCredential) => Promise<VendorAnswer<unknown>>,
): Promise<Attempt> {
  const credential = await loadChatCredential(deps, { workspace, path });
  if (typeof credential === "string") return refusedAttempt(credential);
  const answer = await call(credential);
  return answer.ok ? sentAttempt : answer;
}

/** Replaces the buttons of a message by the decision. */
export const showDecision = (deps: PostingPorts, message: ChatMessage, decision: ShownDecision): Promise<Attempt> =>
  callForMessage(deps, message, (credential) => deps.chats.update(credential, message, buildDecidedContent(message.shown, decision)));

/**
 * Completes the message that a step has asked for while it ran: with the text that it has returned, the rules, and the time at which the request
 * expires. Repeating it changes nothing.
 */
export async function completeRequest(deps: PostingPorts, message: ChatMessage, notice: GateNotice): Promise<Attempt> {
  const { shown: asked } = message;
  const people = asked.people.length > 0 ? asked.people : notice.people;
  const completed = { ...message, shown: { ...notice, people, ...defined({ message: asked.message }) } };
  const flow = await deps.jobs.get(message.flow);
  if (!flow) return refusedAttempt("the run does not exist any more");
  await completeChatMessage(deps, completed, flow);
  return showRequest(deps, completed);
}

/**
 * Shows a request that waits, with the number of its approvals. If it was decided in the meantime, the message shows the decision, which this could
 * have replaced.
 */
export async function showRequest(deps: PostingPorts, message: ChatMessage): Promise<Attempt> {
  const events = (await loadGate(deps, message.gate))?.events ?? [];
  const approvals = events.length > 0 ? { count: events.length, by: events.at(-1)?.approver } : undefined;
  const content = buildRequestContent(deps.baseUrl, message.shown, toReference(message), message.buttons ?? {}, approvals);
  const attempt = await callForMessage(deps, message, (credential) => deps.chats.update(credential, message, content));
  if (!attempt.ok) return attempt;
  const outcome = await findOutcome(deps, message);
  return outcome ? showDecision(deps, message, outcome) : attempt;
}

/** A caller waits for the reply, for less than the 29 s of API Gateway. */
const MOST_ATTEMPTS = 3;
const LONGEST_PAUSE_MS = 5000;

/** Posts the message that a step asks for. It is tried again if that can help soon. */
export async function postInChat(deps: PostingPorts, { id, resource, channel, request, buttons, form }: ChatPost): Promise<Attempt> {
  const flow = await deps.jobs.get(request.flow);
  if (!flow) return refusedAttempt("the run does not exist any more");
  return attemptSoon(() => postMessage(deps, { id, flow, resource, channel, request, buttons, form }));
}

/** Makes an attempt, and others if they can help soon. */
export async function attemptSoon(attemptOnce: () => Promise<Attempt>): Promise<Attempt> {
  for (let attempts = 1; ; attempts += 1) {
    const attempt = await attemptOnce();
    if (attempt.ok || attempt.final || attempts === MOST_ATTEMPTS) return attempt;
    const { retryAfterMs = 500 } = attempt;
    if (retryAfterMs > LONGEST_PAUSE_MS) return attempt;
    await sleep(retryAfterMs);
  }
}
