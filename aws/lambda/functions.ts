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
 * How a call of a runner ended: with an outcome, without a free runner, with the runner lost, or with nothing known of it: its
 * connection broke, and it may be running still.
 */
export type Invocation =
  | { kind: "outcome"; outcome: RunOutcome }
  | { kind: "throttled" }
  | { kind: "lost"; reason: string }
  | { kind: "unknown"; reason: string };

/** Failures in which the request did not reach the service at all, or was refused by it. */
function neverStarted(error: unknown): boolean {
  const { code, $metadata } = error as { code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || (status >= 400 && status < 500);
}

let runnerNames: Record<string, string> | undefined;

export const functions = {
  /** The tenant keeps environments of different workspaces and identities apart: one Lambda environment serves one tenant only. */
  async run(language: RunnerLanguage, request: RunRequest, tenant: string): Promise<Invocation> {
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
      return outcome?.outcome ? { kind: "outcome", outcome } : { kind: "lost", reason: "the runner gave no outcome" };
    } catch (error) {
      if (error instanceof TooManyRequestsException) return { kind: "throttled" };
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: neverStarted(error) ? "lost" : "unknown", reason };
    }
  },

  /** Has a worker do a job past the queue. `refused`: no worker has begun with it. `null` also when nothing is known of the worker any more. */
  async work(call: JobCall): Promise<JobCallResult | "refused"> {
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

  /** Makes a flow's state machine where there is none yet. */
  async makeMachine(request: MachineRequest): Promise<MachineAnswer> {
    const { Payload, FunctionError } = await lambda().send(
      new InvokeCommand({ FunctionName: requireEnv(env.flowsFunction), Payload: JSON.stringify(request) }),
    );
    const text = Payload ? Buffer.from(Payload).toString("utf8") : "null";
    if (FunctionError) throw new Error(`The state machine could not be made: ${text.slice(0, 300)}`);
    return JSON.parse(text) as MachineAnswer;
  },

  /** Has parts of notices sent whose time it is, and does not wait for it: what is lost on the way stays due. */
  async deliver(call: DeliverCall): Promise<void> {
    // It calls itself as well, and knows its own name.
    const FunctionName = process.env[env.deliverFunction] ?? requireEnv("AWS_LAMBDA_FUNCTION_NAME");
    await lambda().send(new InvokeCommand({ FunctionName, InvocationType: "Event", Payload: JSON.stringify(call) }));
  },

  async build(request: BuildRequest): Promise<BuildResult> {
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
