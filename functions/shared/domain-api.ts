import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import { toActionKind, toOperation } from "../../core/audit/entry.ts";
import type { Job } from "../../core/jobs/job.ts";
import { type Actor, nameInAuditLog } from "../../core/people/actor.ts";
import { maySee } from "../../core/permissions/may.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { runAudited } from "../../services/audit/audit.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import type { SecretReader } from "../../services/secrets/reveal.ts";
import { findAuditedResource, fixedResources, resourceInReply } from "./audited-resource.ts";
import { apiHandler, type RouteHandler } from "./edge.ts";
import { checkAccess, toTarget } from "./guard.ts";
import { json } from "./reply.ts";

/** Open routes have no actor. All other routes have one, or the job of a link. */
export interface Auth {
  actor: Actor;
  /** The token as it was sent, valid or not, for signing out and renewal. */
  sentToken?: string | undefined;
  /** The flow's job that a link to an approval lets its holder read without an actor, on the two routes that accept such a link. */
  linked?: Job;
}
/** Returns the caller of a route as a reader of secrets, with the token that was sent. */
export const secretReader = ({ actor, sentToken = "" }: Auth, workspace: string, { name }: Route): SecretReader => ({
  ...{ actor, workspace },
  token: sentToken,
  operation: toOperation(name),
});

export type ApiRoutes = RouteHandler<Auth>[];

/** Returns what a call without a token may read, or `undefined` if it needs a token. */
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
  return apiHandler<Auth>(routes.map(hideExistence).map(withAudit), async (token, route, params, query = {}) => {
    // Handlers of open routes do not use the caller.
    if (route.auth === "none") return { sentToken: token } as Auth;
    const linked = token === undefined ? await admitLink?.(route, params, query) : undefined;
    if (linked) return { linked } as Auth;
    const { actor } = await authenticate(authenticateDeps, token, { workspace: params["workspace"] });
    checkAccess(actor, route, params);
    await requireWorkspaceOf(actor, params["workspace"]);
    return { actor, sentToken: token };
  });
}

/** A superadmin may do everything in a workspace without being its member, so only its record shows that there is one. */
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

/** The job of a run is its entry in the audit log (services/jobs/read/run-audit.ts). Every other change has a separate entry. */
const isChange = (route: Route) => route.auth === "token" && route.access.verb === "write";

const deletesOwnLog: ReadonlySet<string> = new Set(["workspaces.delete"]);

/** Routes whose calls change several objects one after the other. Their entries remain if a later step is refused. */
const inSteps: ReadonlySet<string> = new Set([
  "users.deleteGlobal",
  "users.overwriteGlobal",
  "instanceGroups.delete",
  "instanceGroups.overwrite",
  "workspaces.archive",
  "workspaces.setEncryptionKey",
  "scripts.deleteByPath",
  "flows.delete",
]);

/**
 * Returns the route so that each call that changes something has an entry in the audit log. The entry of a read secret is written where the secret
 * is decrypted (services/secrets/reveal.ts).
 */
function withAudit({ route, handle }: RouteHandler<Auth>): RouteHandler<Auth> {
  if (!isChange(route)) return { route, handle };
  return {
    route,
    handle: (call) => {
      const { workspace: named } = (call.params ?? {}) as { workspace?: string };
      // A workspace's own log is deleted with it.
      const workspace = deletesOwnLog.has(route.name) ? undefined : named;
      const resource = fixedResources[route.name] ?? (workspace === named ? findAuditedResource(call) : named);
      return runAudited(
        authenticateDeps,
        {
          workspace,
          username: workspace === undefined ? call.auth.actor.email : nameInAuditLog(call.auth.actor),
          inSteps: inSteps.has(route.name),
          operation: toOperation(route.name),
          action_kind: toActionKind(route.name, route.method),
          ...defined({ resource }),
        },
        () => handle(call),
        resourceInReply[route.name],
      );
    },
  };
}
