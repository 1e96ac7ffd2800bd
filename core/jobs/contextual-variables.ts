import type { Job } from "./record/job.ts";

/** The values from which a job's environment is built. */
export interface EnvironmentInput {
  job: Pick<
    Job,
    | "id"
    | "workspace"
    | "path"
    | "hash"
    | "root"
    | "email"
    | "permissionedAs"
    | "createdAtMs"
    | "scheduledForMs"
    | "schedulePath"
    | "parent"
    | "step"
  >;
  attempt: number;
  token: string;
  internalUrl: string;
  baseUrl: string;
}

/** Builds the contextual variables of spec §2.3 and api.md §7, with both prefixes. */
export function buildContextualVariables({ job, attempt, token, internalUrl, baseUrl }: EnvironmentInput): Record<string, string> {
  const path = job.path ?? "";
  const username = job.permissionedAs.replace(/^u\//, "");
  const statePath = `u/${username}/${path.replaceAll("/", "_") || "preview"}_state`;
  const shared = {
    TOKEN: token,
    WORKSPACE: job.workspace,
    EMAIL: job.email,
    USERNAME: username,
    BASE_URL: baseUrl,
    JOB_ID: job.id,
    JOB_PATH: path,
    FLOW_JOB_ID: job.step ? (job.parent ?? "") : "",
    ROOT_FLOW_JOB_ID: job.root ?? "",
    FLOW_STEP_ID: job.step?.id ?? "",
    FLOW_PATH: job.step?.flow ?? "",
    PERMISSIONED_AS: job.permissionedAs,
    STATE_PATH: statePath,
    STATE_PATH_NEW: statePath,
    SCRIPT_PATH: path,
    SCRIPT_HASH: job.hash ?? "",
    OBJECT_PATH: path,
    RUNNABLE_ID: path,
    SCHEDULE_PATH: job.schedulePath ?? "",
    SCHEDULED_FOR: new Date(job.scheduledForMs ?? job.createdAtMs).toISOString(),
    END_USER_EMAIL: "",
    ATTEMPT: String(attempt),
  };
  const environment: Record<string, string> = { BASE_INTERNAL_URL: internalUrl, BASE_URL: baseUrl };
  for (const [name, value] of Object.entries(shared)) {
    environment[`WM_${name}`] = value;
    environment[`OV_${name}`] = value;
  }
  return environment;
}
