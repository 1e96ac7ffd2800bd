/** Descriptions of the most common variables of a job. `core/jobs/contextual-variables.ts` has the whole list. */
export const variableMeanings: Readonly<Record<string, string>> = {
  TOKEN: "Token of the job. It has exactly the job's rights and expires when the job ends",
  WORKSPACE: "Id of the workspace",
  EMAIL: "E-mail address of the user that the job runs as",
  USERNAME: "User name that the job runs as",
  BASE_URL: "URL of the service",
  JOB_ID: "Id of the job",
  JOB_PATH: "Path of the script",
  FLOW_JOB_ID: "Id of the flow's job, if the job is a step of a flow",
  ROOT_FLOW_JOB_ID: "Id of the outermost flow's job, if the job is a step of a flow",
  FLOW_STEP_ID: "Id of the step, if the job is a step of a flow",
  FLOW_PATH: "Path of the flow, if the job is a step of a flow",
  PERMISSIONED_AS: "Owner that the job runs as, u/… or g/…",
  STATE_PATH: "Path of the script's state",
  STATE_PATH_NEW: "Path of the script's state",
  SCRIPT_PATH: "Path of the script",
  SCRIPT_HASH: "Hash of the script's version",
  OBJECT_PATH: "Path of the script or flow",
  RUNNABLE_ID: "Path of the script or flow",
  SCHEDULE_PATH: "Path of the schedule that started the job",
  SCHEDULED_FOR: "Scheduled time of the job",
  END_USER_EMAIL: "E-mail address of the user of the application",
  ATTEMPT: "Number of the attempt, from 1",
  BASE_INTERNAL_URL: "URL at which a job reaches the service",
};

export interface ContextualVariable {
  name: string;
  value: string;
  description: string;
  is_custom: boolean;
}

/** Returns a job's environment as a sorted list with a description of each variable. */
export function listContextualVariables(environment: Record<string, string>): ContextualVariable[] {
  return Object.entries(environment)
    .map(([name, value]) => ({ name, value, description: variableMeanings[name.replace(/^(WM|OV)_/, "")] ?? "", is_custom: false }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
