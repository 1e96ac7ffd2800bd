import type { RunnerLanguage } from "../contract/languages.ts";
import type { RefreshCall } from "../core/accounts/account.ts";
import type { BuildRequest, BuildResult } from "../core/builds/build.ts";
import type {
  ChatAnswer,
  ChatContentAnswer,
  ChatContentRequest,
  ChatDecision,
  ChatFormRequest,
  ChatPost,
} from "../core/chats/chat-call.ts";
import type { TeamsChange } from "../core/chats/teams/teams-place.ts";
import type { TeamsPost } from "../core/chats/teams/teams-post.ts";
import type { Attempt } from "../core/deliveries/attempt.ts";
import type { MachineAnswer, MachineRequest } from "../core/flows/version.ts";
import type { JobCall, JobCallResult } from "../core/jobs/record/lifecycle.ts";
import type { RunnerAnswer } from "../core/jobs/runner-answer.ts";
import type { RotationCall } from "../core/secrets/key-ring.ts";
import type { CheckSource, ConnectSources, PollCall } from "../core/triggers/connect-call.ts";
import type { RunRequest } from "../runners/protocol.ts";

/**
 * The outcome of a call of a runner. `throttled`: no runner was free, or the call did not reach one, so nothing has run. `lost`: the runner has
 * ended without an outcome that can be used. `unknown`: the connection broke, and the runner may still be running.
 */
export type Invocation = RunnerAnswer | { kind: "throttled" } | { kind: "unknown"; reason: string };

/** The deployed Lambda functions that others invoke. */
export interface Functions {
  /** Runs a request on the runner of a language, at most once. Tenants separate workspaces and identities. Does not throw: an error is an outcome. */
  invokeRunner(language: RunnerLanguage, request: RunRequest, tenant: string): Promise<Invocation>;
  /** Invokes a worker for a job without the queue. `refused`: no worker has started it. `null`: the job's record will show its end. */
  invokeWorker(call: JobCall): Promise<JobCallResult | "refused">;
  /** Creates a flow's state machine if there is none. Idempotent. Throws `service.busy`. */
  createStateMachine(request: MachineRequest): Promise<MachineAnswer>;
  /** Starts connecting the sources of triggers, asynchronously. The call can be repeated. */
  startConnecting(call: ConnectSources): Promise<void>;
  /** Starts reading the queues that are not mapped to a function, asynchronously. */
  startPolling(call: PollCall): Promise<void>;
  /** Starts refreshing the tokens of accounts in function `objects`, asynchronously. The call can be repeated. */
  startRefreshing(call: RefreshCall): Promise<void>;
  /** Starts continuing the rotation of a workspace's key in function `objects`, asynchronously. The call can be repeated. */
  startRotating(call: RotationCall): Promise<void>;
  /** Decides for a person in a chat, or returns the form of a step, in function `approve`. A repeated call changes nothing. Throws `service.busy`. */
  requestDecision(call: ChatDecision | ChatFormRequest): Promise<ChatAnswer>;
  /** Returns the present content of a message in a chat, from function `approve`. Throws `service.busy`. */
  requestContent(call: ChatContentRequest): Promise<ChatContentAnswer>;
  /** Stores where the bot of a resource is installed, in function `approve`. The call can be repeated. Throws `service.busy`. */
  storeTeamsChange(call: TeamsChange): Promise<void>;
  /** Posts a message that asks for a decision, in function `deliver`. A repeated call posts nothing. Throws `service.busy`. */
  requestPost(call: ChatPost): Promise<Attempt>;
  /** Posts a text and a card of a script, in function `deliver`. A repeated call posts again. Throws `service.busy`. */
  postInTeams(call: TeamsPost): Promise<Attempt>;
  /** Builds the artefact of a script. The tenant is the workspace, whose scripts share artefacts. Idempotent. Throws `service.busy`. */
  invokeBuild(request: BuildRequest, workspace: string): Promise<BuildResult>;
}

/** The calls of function `connect` that a request waits for. */
export interface TriggerSources {
  /** Returns why a trigger cannot use a source, or `undefined` if it can. Throws `service.busy`. */
  checkSource(call: CheckSource): Promise<string | undefined>;
  /** Makes mappings, rules and subscriptions match what the triggers of sources need. Idempotent. Throws `service.busy`. */
  invokeConnect(call: ConnectSources): Promise<void>;
}
