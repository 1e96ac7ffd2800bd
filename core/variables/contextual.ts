/** What the commonest of a job's own variables mean; the whole list is `core/jobs/environment.ts`. */
const meanings: Record<string, string> = {
  TOKEN: "Token of the job, with exactly its rights; ends with it",
  WORKSPACE: "Id of the workspace",
  EMAIL: "Address of whom the job runs as",
  USERNAME: "User name of whom the job runs as",
  BASE_URL: "Address of the service",
  JOB_ID: "Id of the job",
  JOB_PATH: "Path of the script",
  FLOW_JOB_ID: "Id of the flow's job, in a flow",
  ROOT_FLOW_JOB_ID: "Id of the outermost flow's job",
  FLOW_STEP_ID: "Id of the step, in a flow",
  FLOW_PATH: "Path of the flow, in a flow",
  PERMISSIONED_AS: "Identity that the job runs as, u/… or g/…",
  STATE_PATH: "Path of the script's state",
  STATE_PATH_NEW: "Path of the script's state",
  SCRIPT_PATH: "Path of the script",
  SCRIPT_HASH: "Hash of the script's version",
  OBJECT_PATH: "Path of what runs",
  RUNNABLE_ID: "Path of what runs",
  SCHEDULE_PATH: "Path of the schedule that started the job",
  SCHEDULED_FOR: "When the job was to run",
  END_USER_EMAIL: "Address of the person before an application",
  ATTEMPT: "Number of the attempt, from 1",
  BASE_INTERNAL_URL: "Address at which a job reaches the service",
};

export interface ContextualVariable {
  name: string;
  value: string;
  description: string;
  is_custom: boolean;
}

/** A job's environment as a list, by name, with what each variable means. */
export function describeEnvironment(environment: Record<string, string>): ContextualVariable[] {
  return Object.entries(environment)
    .map(([name, value]) => ({ name, value, description: meanings[name.replace(/^(WM|OV)_/, "")] ?? "", is_custom: false }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
