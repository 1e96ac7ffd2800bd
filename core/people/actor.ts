import type { Job } from "../jobs/job.ts";

/** Who calls: a person through one of their tokens, or a running job through its own. */
export type Actor = Person | JobActor;

interface Identity {
  email: string;
  username: string;
  superAdmin: boolean;
}
export interface Person extends Identity {
  kind: "person";
  tokenHash: string;
  tokenPrefix: string;
  /** Set when the token works in one workspace only. */
  workspace?: string;
}
export interface JobActor extends Identity {
  kind: "job";
  jobId: string;
  attempt: number;
  workspace: string;
  permissionedAs: string;
}

/** `ann.lee+x@example.com` → `ann_lee_x`: what stands in `u/<username>`. */
export function usernameOf(email: string): string {
  return (email.split("@")[0] ?? email).replace(/[^A-Za-z0-9-]+/g, "_").replace(/^_+|_+$/g, "") || "user";
}

/** Whom a job runs as when this actor starts it. */
export function permissionedAs(actor: Actor): string {
  return actor.kind === "job" ? actor.permissionedAs : `u/${actor.username}`;
}

/** A job as the one who acts: with exactly the rights that its token has. */
export function actorOf(
  job: Pick<Job, "id" | "attempt" | "email" | "createdBy" | "superAdmin" | "workspace" | "permissionedAs">,
): JobActor {
  const { id: jobId, attempt, email, createdBy: username, superAdmin, workspace, permissionedAs } = job;
  return { kind: "job", email, username, superAdmin, jobId, attempt, workspace, permissionedAs };
}
