import { join } from "node:path";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { assets } from "../../aws/s3/assets.ts";
import { storage } from "../../aws/s3/storage.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { logger, observeHandler } from "../shared/observe.ts";
import { type PushDeps, pushDeployment } from "./push.ts";
import { type DeploymentRequest, reply, requestSchema } from "./request.ts";

/** Time for the state, the token and the reply, after a push that did not end. */
const SPARE_MS = 30_000;

const deps = (): PushDeps => ({
  identity: { objects: objectTable, nowMs: Date.now, instanceEventsUrl: process.env[env.instanceEvents] },
  storage,
  assets,
  url: requireEnv(env.internalUrl),
  cli: join(import.meta.dirname, "cli/svc.mjs"),
});

/**
 * Deploys the files of a CDK app into a workspace. CloudFormation calls it for each custom resource of `Svc.addFolder`, `addScript` and
 * `addFlow`.
 */
export const handler = observeHandler("deploy", async (event: unknown, context) => {
  const request = requestSchema.parse(event);
  await reply(request, await failureOf(request, Date.now() + context.getRemainingTimeInMillis() - SPARE_MS));
});

/** Deploys, and returns the reason of a failure. */
async function failureOf({ RequestType, ResourceProperties }: DeploymentRequest, untilMs: number): Promise<string | undefined> {
  const isRemoval = RequestType === "Delete";
  try {
    logger.info("pushed", { printed: await pushDeployment(deps(), ResourceProperties, isRemoval, untilMs) });
    return undefined;
  } catch (error) {
    logger.error("the push failed", { error: error as Error });
    // The items then remain, as by default. A failure would stop the deletion of the stack.
    if (isRemoval) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}
