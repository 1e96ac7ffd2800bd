import type { Job } from "./record/job.ts";

/** The runs that share the execution environments of runners: those of an identity, or of a workspace. */
export type Tenancy = "identity" | "workspace";

/**
 * Returns the identity of a job in its workspace: only jobs of one identity share a process. It contains the e-mail address, because a username
 * may later belong to another person.
 */
export function buildIdentityKey({ workspace, permissionedAs, email }: Pick<Job, "workspace" | "permissionedAs" | "email">): string {
  return JSON.stringify([workspace, permissionedAs, email.toLowerCase()]);
}

/** Returns the tenant of a job: only jobs of one tenant share an execution environment of a runner. */
export function buildTenantKey(job: Pick<Job, "workspace" | "permissionedAs" | "email">, tenancy: Tenancy): string {
  return tenancy === "workspace" ? JSON.stringify([job.workspace]) : buildIdentityKey(job);
}
