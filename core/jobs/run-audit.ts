import { defined } from "../../contract/defined.ts";
import type { JobKind } from "../../contract/job-kind.ts";
import type { AuditJson, AuditQuery } from "../../contract/routes/workspaces/audit.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import type { EntryCondition } from "./lists/list-source.ts";
import type { Job } from "./record/job.ts";
import { buildListKey } from "./record/job.ts";

/** The operation in the audit log that starts a job of each kind. Existing clients filter the log by these names. */
const runOperations: Readonly<Record<JobKind, string>> = {
  script: "jobs.run.script",
  preview: "jobs.run.preview",
  dependencies: "jobs.run.dependencies",
  flowdependencies: "jobs.flow_dependencies",
  appdependencies: "jobs.app_dependencies",
  flow: "jobs.run.flow",
  flowpreview: "jobs.run.flow_preview",
  script_hub: "jobs.run.script_hub",
  identity: "jobs.run.identity",
  deploymentcallback: "jobs.run.deployment_callback",
  singlestepflow: "jobs.run.single_step_flow",
  flowscript: "jobs.run.flow_script",
  flownode: "jobs.run.flow_node",
  appscript: "jobs.run.app_script",
};

/** Returns whether the start of a job is in the audit log. The steps of a flow belong to the entry of the flow. */
export const isAuditedRun = ({ step }: Pick<Job, "step">) => step === undefined;

/** Returns the entry of a run in the audit log, with the job's id as its own. */
export function toRunEntry(job: Job): AuditJson {
  return {
    workspace_id: job.workspace,
    id: job.id,
    timestamp: toIsoTime(job.createdAtMs),
    username: job.createdBy,
    operation: runOperations[job.kind],
    action_kind: "Execute",
    ...defined({ resource: job.path }),
    parameters: { uuid: job.id, permissioned_as: job.permissionedAs, ...defined({ hash: job.hash }) },
  };
}

/** The part of the index `list` that contains the runs which a query of the audit log selects: a range of sort keys, and conditions. */
export interface RunSelection {
  from: string;
  to: string;
  where: EntryCondition[];
}

const membersOf = (list: string | undefined) => (list === undefined || list === "" ? undefined : list.split(","));

/** Returns the part of the index that contains the runs that match a query of the audit log. `undefined` if no run can match. */
export function selectRuns(query: AuditQuery): RunSelection | undefined {
  const includes = (list: string | undefined, value: string) => membersOf(list)?.includes(value) ?? true;
  if (!includes(query.action_kind, "Execute")) return undefined;
  const excluded = membersOf(query.exclude_operations) ?? [];
  const all = Object.entries(runOperations);
  const kinds = all.flatMap(([kind, operation]) =>
    includes(query.operation, operation) && includes(query.operations, operation) && !excluded.includes(operation) ? [kind] : [],
  );
  if (kinds.length === 0) return undefined;
  const byName = (field: "createdBy" | "path", list: string | undefined): EntryCondition[] => {
    const anyOf = membersOf(list);
    return anyOf ? [{ field, anyOf }] : [];
  };
  const { after, before } = query;
  const key = (time: string, moreMs: number) => buildListKey(Math.max(0, Date.parse(time) + moreMs), "").slice(0, -1);
  return {
    from: after === undefined ? "0" : key(after, 1),
    // The character after "#", so that all jobs of this millisecond are before it.
    to: before === undefined ? "9" : `${key(before, 0)}$`,
    where: [
      { field: "step", exists: false },
      ...(kinds.length === all.length ? [] : [{ field: "kind", anyOf: kinds } as const]),
      ...byName("createdBy", query.username),
      ...byName("path", query.resource),
    ],
  };
}
