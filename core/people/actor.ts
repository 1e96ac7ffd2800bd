import type { Rights } from "./rights.ts";

/** Who calls: a person through one of their tokens, or a running job through its own. */
export type Actor = Person | JobActor;

interface Identity {
  email: string;
  /** In the workspace that `rights` are of, else on the instance. */
  username: string;
  superAdmin: boolean;
  /** Groups of the whole instance that the caller is in. */
  instanceGroups?: string[];
  /** That the workspace which the call names is archived, or was deleted. */
  workspaceState?: "archived" | "deleted";
  /** What the caller may in the workspace that the call names; absent where it is no member. */
  rights?: Rights;
}
export interface Person extends Identity {
  kind: "person";
  tokenHash: string;
  tokenPrefix: string;
  /** Set when the token works in one workspace only. */
  workspace?: string;
  /** Absent: the token may all that its owner may. */
  scopes?: string[];
  readOnly?: boolean;
}
export interface JobActor extends Identity {
  kind: "job";
  jobId: string;
  attempt: number;
  workspace: string;
  permissionedAs: string;
  /** The addresses of who has started it, where it runs on behalf of somebody else, the first of them last. */
  startedBy?: string[];
}

/** A caller, with the workspace that the call names. */
export interface WorkspaceCaller {
  actor: Actor;
  workspace: string;
}

/** `ann.lee+x@example.com` → `ann_lee_x`: what stands in `u/<username>`. */
export function deriveUsername(email: string): string {
  return (email.split("@")[0] ?? email).replace(/[^A-Za-z0-9-]+/g, "_").replace(/^_+|_+$/g, "") || "user";
}

/** Whom a job runs as when this actor starts it. */
export function toPermissionedAs(actor: Actor): string {
  return actor.kind === "job" ? actor.permissionedAs : `u/${actor.username}`;
}
