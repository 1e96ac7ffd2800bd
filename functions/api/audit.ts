import { limits } from "../../contract/limits.ts";
import type { Route } from "../../contract/route.ts";
import { auditRoutes as routes } from "../../contract/routes/workspaces/audit.ts";
import { toActionKind, toOperation } from "../../core/audit/entry.ts";
import { paginate } from "../../core/objects/page.ts";
import { getAudit, listAudit, runAudited } from "../../services/audit/audit.ts";
import { type Handled, on } from "../shared/edge.ts";
import { json } from "../shared/reply.ts";
import { type ApiRoutes, type Auth, collaborators as c } from "./collaborators.ts";

type Named = Record<string, unknown>;

/** What the entry says was changed. Never more than its name: bodies hold secrets, and somebody may send a whole token as its prefix. */
function resourceOf(params: Named, body: Named): string | undefined {
  const prefix = params["token_prefix"];
  if (typeof prefix === "string") return prefix.slice(0, limits.tokenPrefixChars);
  const names = ["path", "name", "username", "email", "id", "hash", "key"];
  for (const from of [params, body]) {
    for (const name of names) if (typeof from[name] === "string") return from[name].slice(0, 400);
  }
  return undefined;
}

/** Runs are in the list of jobs; every other change is in the audit log. */
const isChange = (route: Route) => route.auth === "token" && route.access.verb === "write";

const endsItsLog: ReadonlySet<string> = new Set(["workspaces.delete"]);

/** What may answer the value of a secret. Whether it did is known too late: the entry comes first. */
const revealing = new Set(["variables.get", "variables.getValue", "resources.getValueInterpolated", "workspaces.getEncryptionKey"]);

/** The same route, with an entry in the audit log for each call that changes something or may read a secret. */
export function withAudit({ route, handle }: Handled<Auth>): Handled<Auth> {
  if (!isChange(route) && !revealing.has(route.name)) return { route, handle };
  return {
    route,
    handle: (call) => {
      const params = (call.params ?? {}) as Named;
      const body = typeof call.body === "object" && call.body !== null ? (call.body as Named) : {};
      const { workspace: named } = params as { workspace?: string };
      // A workspace's own log goes with it.
      const workspace = endsItsLog.has(route.name) ? undefined : named;
      const resource = workspace === named ? resourceOf(params, body) : named;
      return runAudited(
        c,
        {
          workspace,
          username: workspace === undefined ? call.auth.actor.email : call.auth.actor.username,
          operation: toOperation(route.name),
          action_kind: revealing.has(route.name) ? "Execute" : toActionKind(route.name, route.method),
          ...(resource === undefined ? {} : { resource }),
        },
        () => handle(call),
      );
    },
  };
}

export const audit: ApiRoutes = [
  on(routes.listAudit, async ({ params: { workspace }, query }) => json(200, paginate(await listAudit(c, workspace, query), query))),
  on(routes.getAudit, async ({ params: { workspace, id } }) => json(200, await getAudit(c, workspace, id))),
  on(routes.listInstanceAudit, async ({ query }) => json(200, paginate(await listAudit(c, undefined, query), query))),
];
