import type { AuditedResource, AuditRule, NamedByCall } from "../../../contract/access/audit-rule.ts";
import { toOperation } from "../../../contract/access/operation.ts";
import { defined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { Route } from "../../../contract/route.ts";
import { type Actor, nameInAuditLog } from "../../../core/people/actor.ts";
import { runAudited } from "../../../services/audit/audit.ts";
import type { Uses } from "../../../services/uses.ts";
import type { NamedReply, Reply } from "../reply/reply.ts";
import type { Call, RouteHandler } from "./edge.ts";

/** The parts of a call in which it names the object that it changes. */
type NamingCall = Partial<Pick<Call<Route, unknown>, "params" | "body" | "query">>;

/** More than the longest path. */
const MOST_CHARS = 400;

/** Returns the part of a call that names the changed object for its entry in the audit log, as the route declares it. */
export function findAuditedResource(resource: AuditedResource, call: NamingCall): string | undefined {
  if (resource === "none") return undefined;
  if ("reply" in resource) return resource.before && readName(resource.before, call);
  return readName(resource, call);
}

function readName(named: NamedByCall, { params, query, body }: NamingCall): string | undefined {
  if ("text" in named) return named.text;
  if ("tokenPrefix" in named) return toPrefix(readText(params, named.tokenPrefix));
  if ("param" in named) return readText(params, named.param);
  if ("query" in named) return readText(query, named.query);
  return readText(body, named.body) ?? (named.otherwise === undefined ? undefined : readText(body, named.otherwise));
}

function readText(part: unknown, name: string): string | undefined {
  const value: unknown = typeof part === "object" && part !== null && name in part ? part[name as keyof typeof part] : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value).slice(0, MOST_CHARS) : undefined;
}

const toPrefix = (token: string | undefined) => token?.slice(0, limits.tokenPrefixChars);

/** Returns the name that only the reply contains: of a new token, of a stored source, or that which the handler read. */
export function findResourceInReply(resource: AuditedResource, reply: Reply | NamedReply): string | undefined {
  if (resource === "none" || !("reply" in resource)) return undefined;
  switch (resource.reply) {
    case "named":
      return reply.audited;
    case "text":
      return reply.body;
    case "token":
      return toPrefix(reply.body);
  }
}

/**
 * Returns a function that gives each call of a changing route its entry in the audit log. The entry of a read secret is written where the secret is
 * decrypted (services/secrets/reveal.ts), and that of a run is its job (services/jobs/read/run-audit.ts).
 */
export function auditCalls<Auth extends { actor: Actor | undefined }>(deps: Uses<"objects" | "nowMs">) {
  return ({ route, handle }: RouteHandler<Auth>): RouteHandler<Auth> => {
    const { audits } = route;
    return typeof audits === "object"
      ? { route, handle: (call) => answerAudited(deps, { route, audits }, call, handle) }
      : { route, handle };
  };
}

function answerAudited<Auth extends { actor: Actor | undefined }>(
  deps: Uses<"objects" | "nowMs">,
  { route, audits }: { route: Route; audits: AuditRule },
  call: Call<Route, Auth>,
  handle: RouteHandler<Auth>["handle"],
): Promise<Reply | NamedReply> {
  const { actor } = call.auth;
  if (!actor) throw new SvcError("auth.missing", {});
  const workspace = audits.inInstance ? undefined : readText(call.params, "workspace");
  const entry = {
    workspace,
    username: workspace === undefined ? actor.email : nameInAuditLog(actor),
    inSteps: audits.inSteps ?? false,
    operation: toOperation(route),
    action_kind: audits.kind,
    ...defined({ resource: findAuditedResource(audits.resource, call) }),
  };
  return runAudited(
    deps,
    entry,
    () => handle(call),
    (reply) => findResourceInReply(audits.resource, reply),
  );
}
