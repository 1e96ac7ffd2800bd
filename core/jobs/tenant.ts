import type { Job } from "./job.ts";

/**
 * Returns the tenant of a job: only jobs of one tenant share the environment of a runner. It contains the e-mail address, because a username
 * may later belong to another person.
 */
export function buildTenantKey({ workspace, permissionedAs, email }: Pick<Job, "workspace" | "permissionedAs" | "email">): string {
  return JSON.stringify([workspace, permissionedAs, email.toLowerCase()]);
}
