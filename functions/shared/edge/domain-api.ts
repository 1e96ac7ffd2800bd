import { jobTable } from "../../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../../aws/dynamodb/object-table.ts";
import { findPublicKey } from "../../../aws/kms/signing-keys.ts";
import { toOperation } from "../../../contract/access/operation.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { RevealingRoute, Route } from "../../../contract/route.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { maySee } from "../../../core/permissions/may.ts";
import { workspaceObject } from "../../../core/workspaces/workspace.ts";
import { authenticate } from "../../../services/identity/authenticate.ts";
import type { SecretReader } from "../../../services/secrets/reveal.ts";
import { json } from "../reply/reply.ts";
import { auditCalls } from "./audited-call.ts";
import { type Authenticate, apiHandler, type RouteHandler } from "./edge.ts";
import { checkAccess, toTarget } from "./guard.ts";

/** Open routes have no actor. All other routes have one, or the job of a link. */
export interface Auth {
  actor: Actor;
  /** The token as sent, valid or not, for signing out and renewal. */
  sentToken?: string | undefined;
  /** The flow's job that a link to an approval lets its holder read without an actor, on the two routes that accept such a link. */
  linked?: Job;
}

/** Returns the caller of a route as a reader of secrets, with the token that was sent. Only routes that declare a secret may read one. */
export const secretReader = (
  { actor, sentToken = "" }: Pick<Auth, "actor" | "sentToken">,
  workspace: string,
  route: RevealingRoute,
): SecretReader => ({
  ...{ actor, workspace },
  token: sentToken,
  operation: toOperation(route),
});

export type ApiRoutes = RouteHandler<Auth>[];

/** Returns the job that a call without a token may read, or `undefined` if it needs a token. */
type AdmitLink = (
  route: Route,
  params: Record<string, string>,
  query: Readonly<Record<string, string | undefined>>,
) => Promise<Job | undefined>;

const authenticateDeps = { objects: objectTable, jobs: jobTable, publicKey: findPublicKey, nowMs: Date.now };

/**
 * Creates the Lambda handler for the routes of one domain. It authenticates each call, checks its rights, hides objects that the caller may
 * not see, and writes the audit log.
 */
export function domainApi(routes: ApiRoutes, admitLink?: AdmitLink) {
  const authenticateCall: Authenticate<Auth> = async (token, route, params, query = {}) => {
    // Handlers of open routes do not use the caller.
    if (route.auth === "none") return { sentToken: token } as Auth;
    const linked = token === undefined ? await admitLink?.(route, params, query) : undefined;
    if (linked) return { linked } as Auth;
    const { actor } = await authenticate(authenticateDeps, token, { workspace: params["workspace"] });
    checkAccess(actor, route, params);
    await requireWorkspaceOf(actor, params["workspace"]);
    return { actor, sentToken: token };
  };
  return apiHandler<Auth>(routes.map(hideExistence), authenticateCall, auditCalls(authenticateDeps));
}

/** A superadmin has every right in a workspace without being a member, so only the workspace's record shows that it exists. */
async function requireWorkspaceOf(actor: Actor, workspace: string | undefined): Promise<void> {
  if (workspace === undefined || actor.rights) return;
  if (!(await objectTable.get(workspaceObject.key(workspace)))) throw new SvcError("workspace.notFound", { workspace });
}

/** Returns the route with a handler that replies false for an object that the caller may not see. */
function hideExistence({ route, handle }: RouteHandler<Auth>): RouteHandler<Auth> {
  if (route.auth !== "token" || route.access.hiddenAs !== false) return { route, handle };
  const { access } = route;
  return {
    route,
    handle: async (call) => {
      const target = toTarget(route, (call.params ?? {}) as Record<string, string>);
      return maySee(call.auth.actor, access, target) ? handle(call) : json(200, false);
    },
  };
}
