import { createHash } from "node:crypto";
import { InvokeCommand, TooManyRequestsException } from "@aws-sdk/client-lambda";
import { env, requireEnv } from "../../contract/env.ts";
import type { RunnerLanguage } from "../../contract/languages.ts";
import { type BuildRequest, type BuildResult, buildResultSchema } from "../../core/builds/build.ts";
import type { MachineAnswer, MachineRequest } from "../../core/flows/version.ts";
import type { JobCall, JobCallResult } from "../../core/jobs/lifecycle.ts";
import type { DeliverCall } from "../../core/notifications/delivery.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import type { RunOutcome, RunRequest } from "../../runners/protocol.ts";
import { lambda } from "../sdk/clients.ts";

/**
 * The outcome of a call of a runner. `throttled`: no runner was free. `lost`: the runner has ended without an outcome. `unknown`: the
 * connection broke, and the runner may still be running.
 */
export type Invocation =
  | { kind: "outcome"; outcome: RunOutcome }
  | { kind: "throttled" }
  | { kind: "lost"; reason: string }
  | { kind: "unknown"; reason: string };

/** Returns whether the request did not reach the service, or was rejected by it. */
function neverStarted(error: unknown): boolean {
  const { code, $metadata } = error as { code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || (status >= 400 && status < 500);
}

let runnerNames: Record<string, string> | undefined;

export const functions = {
  /** Runs a request on the runner of a language. Tenants separate workspaces and identities: an environment serves one tenant only. */
  async invokeRunner(language: RunnerLanguage, request: RunRequest, tenant: string): Promise<Invocation> {
    runnerNames ??= JSON.parse(requireEnv(env.runnerFunctions)) as Record<string, string>;
    const name = runnerNames[language];
    if (!name) throw new Error(`No runner function for ${language} is deployed.`);
    try {
      const { Payload, FunctionError } = await lambda().send(
        new InvokeCommand({
          FunctionName: name,
          Payload: JSON.stringify(request),
          ...(process.env[env.tenancy] === "on" ? { TenantId: createHash("sha256").update(tenant).digest("hex").slice(0, 32) } : {}),
        }),
      );
      const text = Payload ? Buffer.from(Payload).toString("utf8") : "null";
      if (FunctionError) return { kind: "lost", reason: text.slice(0, 300) };
      const outcome = JSON.parse(text) as RunOutcome | null;
      return outcome?.outcome ? { kind: "outcome", outcome } : { kind: "lost", reason: "the runner returned no outcome" };
    } catch (error) {
      if (error instanceof TooManyRequestsException) return { kind: "throttled" };
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: neverStarted(error) ? "lost" : "unknown", reason };
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
      if (error instanceof TooManyRequestsException || neverStarted(error)) return "refused";
      reportFailure("The connection to a worker was lost; the job's record will show its end", error, { job: call.running.id });
      return null;
    }
  },

  /** Creates a flow's state machine if there is none. */
  async createStateMachine(request: MachineRequest): Promise<MachineAnswer> {
    const { Payload, FunctionError } = await lambda().send(
      new InvokeCommand({ FunctionName: requireEnv(env.flowsFunction), Payload: JSON.stringify(request) }),
    );
    const text = Payload ? Buffer.from(Payload).toString("utf8") : "null";
    if (FunctionError) throw new Error(`The state machine could not be created: ${text.slice(0, 300)}`);
    return JSON.parse(text) as MachineAnswer;
  },

  /** Starts the delivery of notices that are due, without waiting. A notice that is lost on the way stays due. */
  async startDelivery(call: DeliverCall): Promise<void> {
    // The function also calls itself, and AWS sets its name.
    const FunctionName = process.env[env.deliverFunction] ?? requireEnv("AWS_LAMBDA_FUNCTION_NAME");
    await lambda().send(new InvokeCommand({ FunctionName, InvocationType: "Event", Payload: JSON.stringify(call) }));
  },

  async invokeBuild(request: BuildRequest): Promise<BuildResult> {
    const { Payload, FunctionError } = await lambda().send(
      new InvokeCommand({ FunctionName: requireEnv(env.buildFunction), Payload: JSON.stringify(request) }),
    );
    const text = Payload ? Buffer.from(Payload).toString("utf8") : "null";
    // A build reports failures of user code in its result. It throws only if its worker or the upload is lost.
    if (FunctionError) throw new Error(`The build was lost: ${text.slice(0, 300)}`);
    return buildResultSchema.parse(JSON.parse(text));
  },
};
export type Functions = typeof functions;
