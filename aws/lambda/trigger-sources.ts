import type { LambdaClient } from "@aws-sdk/client-lambda";
import { env, requireEnv } from "../../contract/env.ts";
import { BUSY_ERROR, SvcError } from "../../contract/errors.ts";
import type { CheckSource, ConnectSources } from "../../core/triggers/connect-call.ts";
import type { TriggerSources } from "../../ports/functions.ts";
import { toBusyError } from "../sdk/aws-errors.ts";
import { countRequests } from "../sdk/request-counts.ts";

// The client is loaded by the first change of a trigger, because most requests to the function that makes these calls need none.
const sdk = () => import("@aws-sdk/client-lambda");
let cachedClient: Promise<LambdaClient> | undefined;
function lambda(): Promise<LambdaClient> {
  cachedClient ??= sdk().then(({ LambdaClient }) => countRequests(new LambdaClient({})));
  return cachedClient;
}

async function callConnect(call: CheckSource | ConnectSources): Promise<{ reason?: string }> {
  const { InvokeCommand } = await sdk();
  const command = new InvokeCommand({ FunctionName: requireEnv(env.connectFunction), Payload: JSON.stringify(call) });
  const { Payload, FunctionError } = await (await lambda()).send(command).catch((error: unknown) => {
    throw toBusyError(error, "Lambda");
  });
  const text = Payload ? Buffer.from(Payload).toString("utf8") : "{}";
  if (!FunctionError) return JSON.parse(text) as { reason?: string };
  if (text.includes(`"errorType":"${BUSY_ERROR}"`)) throw new SvcError("service.busy", { service: "Lambda" });
  throw new Error(`The sources of a trigger could not be handled: ${text.slice(0, 300)}`);
}

/** The synchronous calls of function `connect`. */
export const triggerSources = {
  /** Returns why a trigger cannot use a source, or `undefined` if it can. Throws `service.busy`. */
  async checkSource(call: CheckSource): Promise<string | undefined> {
    return (await callConnect(call)).reason;
  },
  /** Reconciles mappings, rules and subscriptions with the triggers of sources. Throws `service.busy`. */
  async invokeConnect(call: ConnectSources): Promise<void> {
    await callConnect(call);
  },
} satisfies TriggerSources;
