import { createHash } from "node:crypto";
import { InvokeCommand } from "@aws-sdk/client-lambda";
import { env, requireEnv } from "../../contract/env.ts";
import { BUSY_ERROR, SvcError } from "../../contract/errors.ts";
import type { RunnerLanguage } from "../../contract/languages.ts";
import type { RefreshCall } from "../../core/accounts/account.ts";
import { type BuildRequest, type BuildResult, buildResultSchema } from "../../core/builds/build.ts";
import type {
  ChatAnswer,
  ChatContentAnswer,
  ChatContentRequest,
  ChatDecision,
  ChatFormRequest,
  ChatPost,
} from "../../core/chats/chat-call.ts";
import type { TeamsChange } from "../../core/chats/teams/teams-place.ts";
import type { TeamsPost } from "../../core/chats/teams/teams-post.ts";
import type { Attempt } from "../../core/deliveries/attempt.ts";
import type { MachineAnswer, MachineRequest } from "../../core/flows/version.ts";
import type { JobCall, JobCallResult } from "../../core/jobs/record/lifecycle.ts";
import { parseRunnerAnswer } from "../../core/jobs/runner-answer.ts";
import type { RotationCall } from "../../core/secrets/key-ring.ts";
import { countOutcome, reportFailure } from "../../core/telemetry/telemetry.ts";
import type { ConnectSources, PollCall } from "../../core/triggers/connect-call.ts";
import type { Functions, Invocation } from "../../ports/functions.ts";
import type { RunRequest } from "../../runners/protocol.ts";
import { classifyAwsError, toBusyError } from "../sdk/aws-errors.ts";
import { lambda } from "../sdk/lambda-client.ts";

/** Lambda could not prepare an execution environment for the function. These errors have a status of 5xx. */
const NOT_PREPARED = /^(EC2|ENI|KMS|ResourceNotReady)/;

/** Returns whether no function has started, and the same call may start one a moment later. */
function wasRefused(error: unknown): boolean {
  const { code = "", name } = error as Error & { code?: string };
  return ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(code) || NOT_PREPARED.test(name) || classifyAwsError(error) === "throttled";
}

/** Returns whether Lambda rejected the request. */
function wasRejected(error: unknown): boolean {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  return status >= 400 && status < 500;
}

/**
 * Invokes a function of the service and returns the text of its answer. Throws `service.busy` if the same call may succeed a moment later, and an
 * error that begins with `failure` if the function failed.
 */
async function invokeFunction(name: string, request: unknown, failure: string, tenant?: string): Promise<string> {
  const command = new InvokeCommand({
    FunctionName: name,
    Payload: JSON.stringify(request),
    ...toTenantId(tenant),
  });
  const { Payload, FunctionError } = await lambda()
    .send(command)
    .catch((error: unknown) => {
      if (tenant !== undefined) noteTenantRefusal(error, {});
      throw toBusyError(error, "Lambda");
    });
  const text = Payload ? Buffer.from(Payload).toString("utf8") : "null";
  if (!FunctionError) return text;
  if (text.includes(`"errorType":"${BUSY_ERROR}"`)) throw new SvcError("service.busy", { service: "Lambda" });
  throw new Error(`${failure}: ${text.slice(0, 300)}`);
}

/** Invokes a function of the service without waiting for its end. Lambda repeats the invocation if the function fails. */
async function startFunction(FunctionName: string, call: unknown): Promise<void> {
  await lambda().send(new InvokeCommand({ FunctionName, InvocationType: "Event", Payload: JSON.stringify(call) }));
}

/** Lambda has no environment for another tenant. */
class TenantEnvironmentsFull extends Error {
  override readonly name = "TenantEnvironmentsFull";

  constructor(cause: unknown) {
    super(
      "Lambda refuses another environment for a tenant. It allows 2,500 for each 1,000 concurrent executions, and idle ones count. " +
        "Increase the quota of concurrent executions (L-B99A9384), or deploy with the setting tenancy: workspace. The run is postponed.",
      { cause },
    );
  }
}

/**
 * Counts and reports a refusal that no other quota explains. Lambda gives a reason for every other refusal; for this one, the documentation
 * names only the exception and the message "Rate exceeded".
 */
function noteTenantRefusal(error: unknown, work: { job?: string; workspace?: string }): void {
  const { name, Reason } = error as Error & { Reason?: string };
  if (!process.env[env.tenancy] || name !== "TooManyRequestsException" || Reason) return;
  countOutcome("TenantRefusals");
  reportFailure("A run or a build waits for an environment of its tenant", new TenantEnvironmentsFull(error), work);
}

let runnerNames: Record<string, string> | undefined;

/**
 * Returns the parameter of an invocation that names its tenant: an environment serves one tenant only. Empty if tenants are not isolated.
 */
const toTenantId = (tenant: string | undefined) =>
  tenant !== undefined && process.env[env.tenancy] ? { TenantId: createHash("sha256").update(tenant).digest("hex").slice(0, 32) } : {};

export const functions = {
  /** Runs a request on the runner of a language. Tenants separate workspaces and identities. */
  async invokeRunner(language: RunnerLanguage, request: RunRequest, tenant: string): Promise<Invocation> {
    runnerNames ??= JSON.parse(requireEnv(env.runnerFunctions)) as Record<string, string>;
    const name = runnerNames[language];
    if (!name) throw new Error(`No runner function for ${language} is deployed.`);
    try {
      const { Payload, FunctionError } = await lambda().send(
        new InvokeCommand({
          FunctionName: name,
          Payload: JSON.stringify(request),
          ...toTenantId(tenant),
        }),
      );
      const text = Payload ? Buffer.from(Payload).toString("utf8") : "null";
      if (FunctionError) return { kind: "lost", reason: text.slice(0, 300) };
      return parseRunnerAnswer(text);
    } catch (error) {
      noteTenantRefusal(error, { job: request.job, workspace: request.workspace });
      if (wasRefused(error)) return { kind: "throttled" };
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: wasRejected(error) ? "lost" : "unknown", reason };
    }
  },

  /** Invokes a worker for a job without the queue. `refused`: no worker has started it. `null`: the job's record will show its end. */
  async invokeWorker(call: JobCall): Promise<JobCallResult | "refused"> {
    try {
      const { Payload, FunctionError } = await lambda().send(
        new InvokeCommand({ FunctionName: requireEnv(env.workerFunction), Payload: JSON.stringify(call) }),
      );
      return Payload && !FunctionError ? (JSON.parse(Buffer.from(Payload).toString("utf8")) as JobCallResult) : null;
    } catch (error) {
      if (wasRefused(error) || wasRejected(error)) return "refused";
      reportFailure("The connection to a worker was lost; the job's record will show its end", error, { job: call.running.id });
      return null;
    }
  },

  /** Creates a flow's state machine if there is none. Throws `service.busy`. */
  async createStateMachine(request: MachineRequest): Promise<MachineAnswer> {
    return JSON.parse(await invokeFunction(requireEnv(env.flowsFunction), request, "The state machine could not be created"));
  },

  /** Starts connecting trigger sources asynchronously. */
  async startConnecting(call: ConnectSources): Promise<void> {
    await startFunction(requireEnv(env.connectFunction), call);
  },
  /** Starts reading queues that are not mapped to a function, asynchronously. */
  async startPolling(call: PollCall): Promise<void> {
    await startFunction(requireEnv(env.receiveFunctionArn), call);
  },

  /** Starts refreshing the tokens of accounts in function `objects`, asynchronously. */
  async startRefreshing(call: RefreshCall): Promise<void> {
    await startFunction(requireEnv(env.objectsFunction), call);
  },
  /** Starts continuing the rotation of a workspace's key in function `objects`, asynchronously. */
  async startRotating(call: RotationCall): Promise<void> {
    await startFunction(requireEnv(env.objectsFunction), call);
  },

  /** Decides for a person in a chat, or returns the form of a step, in function `approve`. Throws `service.busy`. */
  async requestDecision(call: ChatDecision | ChatFormRequest): Promise<ChatAnswer> {
    return JSON.parse(await invokeFunction(requireEnv(env.approveFunction), call, "The decision was lost")) as ChatAnswer;
  },
  /** Returns the present content of a message in a chat, from function `approve`. Throws `service.busy`. */
  async requestContent(call: ChatContentRequest): Promise<ChatContentAnswer> {
    return JSON.parse(await invokeFunction(requireEnv(env.approveFunction), call, "The content was lost")) as ChatContentAnswer;
  },
  /** Stores where the bot of a resource is installed, in function `approve`. Throws `service.busy`. */
  async storeTeamsChange(call: TeamsChange): Promise<void> {
    await invokeFunction(requireEnv(env.approveFunction), call, "The place of a bot was lost");
  },
  /** Posts a message that asks for a decision, in function `deliver`. Throws `service.busy`. */
  async requestPost(call: ChatPost): Promise<Attempt> {
    return JSON.parse(await invokeFunction(requireEnv(env.deliverFunction), call, "The message was lost")) as Attempt;
  },
  /** Posts a text and a card of a script, in function `deliver`. Throws `service.busy`. */
  async postInTeams(call: TeamsPost): Promise<Attempt> {
    return JSON.parse(await invokeFunction(requireEnv(env.deliverFunction), call, "The message was lost")) as Attempt;
  },

  /** Builds the artefact of a script. The tenant is the workspace, whose scripts share artefacts. Throws `service.busy`. */
  async invokeBuild(request: BuildRequest, workspace: string): Promise<BuildResult> {
    // A build reports failures of user code in its result. It throws only if its worker or the upload is lost.
    return buildResultSchema.parse(
      JSON.parse(await invokeFunction(requireEnv(env.buildFunction), request, "The build was lost", workspace)),
    );
  },
} satisfies Functions;
