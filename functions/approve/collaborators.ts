import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { linkKeys } from "../../aws/kms/data-keys.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { storage } from "../../aws/s3/storage.ts";
import { executions } from "../../aws/stepfunctions/executions.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { SvcError } from "../../contract/errors.ts";
import { approvalRoutes as routes } from "../../contract/routes/approvals/approvals.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Actor } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { loadFlowFields } from "../../services/flows/inspection/status.ts";
import { gatedFlows } from "../../services/flows/runtime/gated-flows.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { listDeliveries } from "../../services/notifications/delivery-records.ts";
import type { Handled } from "../shared/edge.ts";

const adapters = { jobs: jobTable, objects: objectTable, storage, executions };

export const collaborators = {
  ...adapters,
  gatedFlows: gatedFlows(adapters),
  loadDeliveries: (flow: string) => listDeliveries({ jobs: jobTable }, flow),
  loadFlowFields: (flow: Job) => loadFlowFields(adapters, flow),
  linkKeys,
  nowMs: Date.now,
  baseUrl: requireEnv(env.baseUrl),
};

const authenticator = { objects: objectTable, jobs: jobTable, publicKey: findPublicKey, nowMs: Date.now };

/** Routes for links have an actor only where somebody has signed in as well. */
export interface Auth {
  actor: Actor | undefined;
  /** Of routes that name a run: its job. */
  run?: Job | undefined;
}
export type ApproveRoutes = Handled<Auth>[];

/** Routes with `auth: "token"` are reached with an actor alone. */
export function actorOf({ actor }: Auth): Actor {
  if (!actor) throw new SvcError("auth.missing", {});
  return actor;
}

/** Who calls, as what they are in a workspace. Throws `auth.*`. */
export async function actorIn(token: string | undefined, workspace: string | undefined): Promise<Actor> {
  return (await authenticate(authenticator, token, { workspace })).actor;
}

/** Somebody who may come without a token: one that is sent must be right, and may decide. */
export async function optionalActor(token: string | undefined, workspace: string): Promise<Actor | undefined> {
  if (token === undefined) return undefined;
  const actor = await actorIn(token, workspace);
  return may(actor, routes.consent.access, { workspace }) ? actor : undefined;
}
