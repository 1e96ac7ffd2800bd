import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { linkKeys } from "../../aws/kms/data-keys.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { storage } from "../../aws/s3/storage.ts";
import { executions } from "../../aws/stepfunctions/executions.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { SvcError } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import type { Actor } from "../../core/people/actor.ts";
import { loadFlowFields } from "../../services/flows/inspection/status.ts";
import { connectGatedFlows } from "../../services/flows/runtime/waiting/gated-flows.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { listDeliveries } from "../../services/notifications/delivery-records.ts";
import type { RouteHandler } from "../shared/edge/edge.ts";
import { countsAsSignedIn } from "./signed-in.ts";

const adapters = { jobs: jobTable, objects: objectTable, storage, executions };

export const deps = {
  ...adapters,
  gatedFlows: connectGatedFlows(adapters),
  loadDeliveries: (flow: string) => listDeliveries({ jobs: jobTable }, flow),
  loadFlowFields: (flow: Job) => loadFlowFields(adapters, flow),
  linkKeys,
  nowMs: Date.now,
  baseUrl: requireEnv(env.baseUrl),
};

export const authenticateDeps = { objects: objectTable, jobs: jobTable, publicKey: findPublicKey, nowMs: Date.now };

/** The caller of a route. Routes for links have an actor only if the holder of the link is signed in. */
export interface Auth {
  actor: Actor | undefined;
  /** The token, on routes that require one. */
  sentToken?: string | undefined;
  /** The job of the run, on routes that name one. */
  run?: Job | undefined;
}
export type ApproveRoutes = RouteHandler<Auth>[];

/** Returns the actor. Routes with `auth: "token"` always have one. Throws `auth.missing`. */
export function requireActor({ actor }: Auth): Actor {
  if (!actor) throw new SvcError("auth.missing", {});
  return actor;
}

/** Authenticates the caller by a token, with the rights in a workspace. Throws `auth.*`. */
export async function authenticateActor(token: string | undefined, workspace: string | undefined): Promise<Actor> {
  return (await authenticate(authenticateDeps, token, { workspace })).actor;
}

/**
 * Authenticates a caller who does not need a token. A token must be valid; if its scopes do not allow the route, it is ignored. Throws `auth.*`.
 */
export async function optionalActor(token: string | undefined, route: Route, workspace: string): Promise<Actor | undefined> {
  if (token === undefined) return undefined;
  const actor = await authenticateActor(token, workspace);
  return countsAsSignedIn(actor, route, workspace) ? actor : undefined;
}
