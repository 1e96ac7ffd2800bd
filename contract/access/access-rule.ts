import type { KindDomain } from "../kinds/kinds.ts";

/** The first part of a scope. No scope reaches `tokens` and `instanceGroups`. */
export type AccessDomain =
  | KindDomain
  | "jobs"
  | "files"
  | "instanceGroups"
  | "acls"
  | "tokens"
  | "audit"
  | "approvals"
  | "settings"
  | "signing_secret"
  | "oidc";

/**
 * The right that a caller needs. `self`: any valid token. `member`: membership of the workspace. `read`, `run`, `write`, `own`: that right on
 * the object. `admin`: administration of the workspace. `superadmin`: administration of the instance.
 */
export type Need = "self" | "member" | "read" | "run" | "write" | "own" | "admin" | "superadmin";

/** The code of the 404 for an object that the caller may not see. Its details are path parts of the route. */
export type HiddenCode =
  | "script.notFound"
  | "script.versionNotFound"
  | "flow.notFound"
  | "flow.versionNotFound"
  | "variable.notFound"
  | "resource.notFound"
  | "app.notFound"
  | "app.versionNotFound"
  | "schedule.notFound"
  | "folder.notFound"
  | "group.notFound"
  | "access.notFound"
  | "object.notFound"
  | "trigger.notFound";

interface Rule {
  domain: AccessDomain;
  /** The second part of a scope. A read-only token and an archived workspace allow only `read`. */
  verb: "read" | "write" | "run";
  /** The third part of a scope, for `run`. Without it only the scope `jobs:run` allows the call. */
  runs?: "scripts" | "flows" | "preview";
  need: Need;
  /** Concerns the account of a person, such as tokens, invitations and drafts, so the token of a job is refused. */
  personal?: true;
  /** The call is also possible in an archived workspace. */
  inArchive?: true;
}

/** The path of the address names the object, so the guard checks it before the handler is called. */
interface NamedByAddress {
  /**
   * `path`: path part `path`. `folder`, `group`: path part `name`, without its `f/` or `g/`. `object`: path parts `kind` and `path`.
   * `version`: a hash or a version number, whose path is known once the version is read.
   */
  target: "path" | "folder" | "group" | "object" | "version";
  /** The response for an object that the caller may not see. `false`: 200 with the body `false`. */
  hiddenAs: HiddenCode | false;
}

interface NotNamedByAddress {
  /**
   * `job`: a job's id; the handler checks the job once it is read. `request`: the body or the query names one or several objects, and the
   * handler checks each. `list`: many objects; the handler leaves out those that the caller may not read. `none`: no object with a path.
   */
  target: "job" | "request" | "list" | "none";
  hiddenAs?: never;
}

/** The access that a route, or a check inside a use case, requires. Every permission check starts from one of these. */
export type AccessRule = Readonly<Rule & (NamedByAddress | NotNamedByAddress)>;

/** Anything that permissions are checked for: a route, or a named check inside a use case. */
export interface Action {
  /** The name that an `auth.forbidden` error shows. */
  readonly name: string;
  readonly access: AccessRule;
}
