import { v7 as uuidv7 } from "uuid";
import { defined } from "../../../contract/defined.ts";
import type { RunQuery } from "../../../contract/routes/jobs/runs.ts";
import type { RunnableFlow } from "../../../core/flows/version.ts";
import { readSettings } from "../../../core/jobs/record/run-settings.ts";
import { type Arguments, addFilesToEvent, mergeStoredFiles } from "../../../core/payload/arguments.ts";
import { buildPreprocessorArguments, type Preprocessor } from "../../../core/payload/preprocessor-arguments.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { escapeEventReferences } from "../../../core/resources/refer.ts";
import { escapeReferences } from "../../../core/resources/references.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { previewBundleKey } from "../../builds/preview-bundle.ts";
import { type StoredFiles, storeFiles } from "../../files/store.ts";
import { buildFlowJobFields, buildScriptJobFields, type NewJob } from "../../jobs/queue/enqueue.ts";
import { resolveLineage } from "../../jobs/queue/lineage.ts";
import { loadReferenceScope } from "../../resources/reference-scope.ts";
import type { Uses } from "../../uses.ts";
import { findArgumentProblem } from "../arguments/check-arguments.ts";
import { findEntrypoint } from "../invoke-runner.ts";

/** The stored version that a run executes. */
export type RunTarget = { kind: "script"; version: Runnable } | { kind: "flow"; version: RunnableFlow };

/** A call that runs something. Nothing of it is stored yet. */
export interface RunCall {
  /** The request for its job. The arguments of a stored version are added when their files are stored. */
  job: NewJob;
  /** The stored version that it runs, with the arguments as they were sent. Absent for code that is not stored. */
  version?: { target: RunTarget; arguments: Arguments };
  /** The bundle of a preview, which is stored with the job. */
  bundle?: { bytes: Buffer; sha256: string };
  /** Changes the request for the job before it is created, such as that of a trigger. */
  adapt?: (job: NewJob) => NewJob;
}

/** A call that runs a stored script or flow. */
export type VersionRunCall = RunCall & Required<Pick<RunCall, "version">>;

/** The fields of a job that its caller chooses. */
type JobOptions = Partial<NewJob> & Pick<NewJob, "actor" | "workspace">;

/**
 * Returns the fields of a new job from the query of a run route, with the parent and root that the caller may choose. `scheduled_for` takes
 * precedence over `scheduled_in_secs`.
 */
export async function buildJobOptions(deps: Uses<"jobs">, actor: Actor, workspace: string, query: RunQuery): Promise<JobOptions> {
  const { job_id: id, scheduled_in_secs: delayS, scheduled_for: at } = query;
  const scheduledForMs = at === undefined ? undefined : Date.parse(at);
  const lineage = await resolveLineage(deps, actor, workspace, query);
  return { actor, workspace, id, lineage, scheduledForMs, delayS, ...readSettings("query", query) };
}

/** Returns the request to run a stored version. The options of the caller replace the settings of the version. */
export function requestVersion(version: VersionRunCall["version"], options: JobOptions): VersionRunCall {
  const { target } = version;
  const chosen = { ...defined(options), args: {} };
  if (target.kind === "script") return { job: { ...buildScriptJobFields(target.version), ...chosen }, version };
  // Only the results of scripts are cached.
  return { job: { ...buildFlowJobFields(target.version), ...chosen, cacheTtlS: undefined }, version };
}

/** Stores the files of a request and returns its job. Throws `file.storageOff`. */
export async function createNewJob(deps: Uses<"objects" | "storage">, request: RunCall): Promise<NewJob> {
  const { job, version, adapt = (each) => each } = request;
  if (!version) return storeBundle(deps, request);
  const { target } = version;
  const callArguments = await escapeForbiddenReferences(deps, job, version.arguments);
  const { files } = callArguments;
  if (files.length === 0) return adapt({ ...job, ...buildJobArguments(target, callArguments, {}) });
  const { id = uuidv7(), workspace } = job;
  // The arguments name the files of a form, so these cannot move if the job waits for long. They are stored before the job.
  const stored = await storeFiles(deps, { id, workspace, retention: "long" }, files);
  return adapt({ ...job, id, retention: "long", ...buildJobArguments(target, callArguments, stored) });
}

/**
 * Returns the job of a request as `createNewJob` does. If the author of the version has enabled the check, the arguments must match the schema.
 * The arguments of a preprocessor need not, because the run checks its result. Throws `run.arguments` and `file.storageOff`.
 */
export async function createCheckedJob(deps: Uses<"objects" | "storage">, request: RunCall): Promise<NewJob> {
  const job = await createNewJob(deps, request);
  const { version } = request;
  const problem = !version || job.preprocess ? undefined : await findArgumentProblem(version.target.version, job.args);
  if (problem) throw problem;
  return job;
}

/** Stores the bundle of a preview and returns its job, which has a fixed place for what it stores. */
async function storeBundle({ storage }: Uses<"storage">, { job, bundle }: RunCall): Promise<NewJob> {
  if (!bundle) return job;
  const owner = { ...job, id: job.id ?? uuidv7(), retention: "long" as const };
  await storage.putObject(previewBundleKey(owner, bundle.sha256), bundle.bytes, "application/octet-stream");
  return owner;
}

/** Arguments in which no text refers to what the scopes of the caller's token do not let it read. */
async function escapeForbiddenReferences(
  deps: Uses<"objects">,
  { actor, workspace }: NewJob,
  callArguments: Arguments,
): Promise<Arguments> {
  if (actor.kind === "job" || actor.scopes === undefined) return callArguments;
  const isAllowed = await loadReferenceScope(deps, { actor, workspace }, [callArguments.args, callArguments.event]);
  const args = escapeReferences(callArguments.args, isAllowed) as Record<string, unknown>;
  return { ...callArguments, args, ...(callArguments.event ? { event: escapeEventReferences(callArguments.event, isAllowed) } : {}) };
}

/** The job's arguments: those of the preprocessor if one handles the request. */
function buildJobArguments(target: RunTarget, callArguments: Arguments, stored: StoredFiles): Pick<NewJob, "args" | "preprocess"> {
  const args = mergeStoredFiles(callArguments, stored);
  const preprocessor = getPreprocessor(target);
  // If the caller names a function other than `main`, that function is called with the arguments as sent.
  const overridden = target.kind === "script" && findEntrypoint(args) !== undefined;
  if (!callArguments.event || !preprocessor || overridden) return { args };
  return { args: buildPreprocessorArguments(preprocessor, args, addFilesToEvent(callArguments.event, stored)), preprocess: true };
}

function getPreprocessor({ kind, version }: RunTarget): Preprocessor | undefined {
  if (kind === "script") return version.preprocessor;
  return version.preprocessor ? { params: null } : undefined;
}
