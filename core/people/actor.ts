import type { Delegation } from "../jobs/record/fields.ts";
import type { Rights } from "./rights.ts";

/** The caller: a person with a token, or a running job with the job's token. */
export type Actor = Person | JobActor;

/** A person with the current rights in the workspace of a request. */
export interface Identity {
  email: string;
  /** The username in the workspace of `rights`, otherwise on the instance. */
  username: string;
  superAdmin: boolean;
  /** The caller's groups of the instance. */
  instanceGroups?: string[];
  /** Present if the workspace of the request is archived or deleted. */
  workspaceState?: "archived" | "deleted";
  /** The workspace of the request has a success handler. */
  successHandled?: true;
  /** The caller's rights in the workspace of the request. Absent for non-members. */
  rights?: Rights;
}
export interface Person extends Identity {
  kind: "person";
  tokenHash: string;
  tokenPrefix: string;
  /** The expiry of the token (epoch ms). Absent for a session, with which a user creates long-lived tokens. */
  tokenExpiresAtMs?: number;
  /** Present if the token is limited to one workspace. */
  workspace?: string;
  /** Absent: the token has all permissions of its owner. */
  scopes?: string[];
  readOnly?: boolean;
}
export interface JobActor extends Identity {
  kind: "job";
  jobId: string;
  attempt: number;
  workspace: string;
  permissionedAs: string;
  /** The job's parent and root, and the first job of its run tree. */
  parent?: string;
  root?: string;
  tree?: string;
  /**
   * The e-mail addresses of the users who started it, if it runs on behalf of another user. The first user of the chain is the last item.
   */
  startedBy?: string[];
  /** The script or flow that lets it act for its user. */
  delegatedBy?: Delegation;
  /** The job is a handler, or a handler started it. */
  isHandler?: true;
}

/** The group as which a job runs, or `undefined` if it runs as a user. */
export const groupOf = (permissionedAs: string): string | undefined =>
  permissionedAs.startsWith("g/") ? permissionedAs.slice(2) : undefined;

/** A caller, with the workspace that the call names. */
export interface WorkspaceCaller {
  actor: Actor;
  workspace: string;
}

/** Derives a username from an e-mail address: `ann_lee_x` from `ann.lee+x@example.com`. */
export function deriveUsername(email: string): string {
  return (email.split("@")[0] ?? email).replace(/[^A-Za-z0-9-]+/g, "_").replace(/^_+|_+$/g, "") || "user";
}

/** Returns the identity of a job that this actor starts. */
export function toPermissionedAs(actor: Actor): string {
  return actor.kind === "job" ? actor.permissionedAs : `u/${actor.username}`;
}

/**
 * Returns the name of a caller in the audit log of a workspace. For a superadmin who is not a member, this is the e-mail address, because a
 * member may have the same username.
 */
export const nameInAuditLog = ({ rights, username, email }: Pick<Identity, "rights" | "username" | "email">): string =>
  rights ? username : email;
