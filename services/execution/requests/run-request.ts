import { v7 as uuidv7 } from "uuid";
import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import type { Storage } from "../../../aws/s3/storage.ts";
import type { RunQuery } from "../../../contract/routes/jobs/runs.ts";
import type { RunnableFlow } from "../../../core/flows/version.ts";
import { type Arguments, addFilesToEvent, mergeStoredFiles } from "../../../core/payload/arguments.ts";
import { buildPreprocessorArguments } from "../../../core/payload/preprocessor-arguments.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { escapeEventReferences } from "../../../core/resources/refer.ts";
import { escapeReferences } from "../../../core/resources/references.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { previewBundleKey } from "../../builds/preview-bundle.ts";
import { storeFiles } from "../../files/store.ts";
import type { IdempotencyKey } from "../../jobs/queue/create-job-record.ts";
import { buildFlowJobFields, buildScriptJobFields, type NewJob } from "../../jobs/queue/enqueue.ts";
import { resolveLineage } from "../../jobs/queue/lineage.ts";
import { loadReferenceScope } from "../../resources/reference-scope.ts";
import { findArgumentProblem } from "../arguments/check-arguments.ts";
import { findEntrypoint } from "../invoke-runner.ts";

/** The stored version that a run executes. */
export type RunTarget = { kind: "script"; version: Runnable } | { kind: "flow"; version: RunnableFlow };

type StoredFiles = Awaited<ReturnType<typeof storeFiles>>;

/** The fields of a job that its caller chooses. */
type JobOptions = Pick<NewJob, "actor" | "workspace" | "id" | "lineage" | "scheduledForMs" | "delayS">;

/** A call that runs a stored script or flow. Nothing of it is stored yet. */
export interface VersionRunRequest {
  target: RunTarget;
  options: JobOptions;
  tag: string | undefined;
  /** The cache time in seconds. 0 does not turn off the script's own `cache_ttl`. */
  cacheTtlS: number | undefined;
  arguments: Arguments;
  idempotencyKey: IdempotencyKey | undefined;
  /** Changes the job before it is created, such as one that a trigger starts. */
  adapt?: (job: NewJob) => NewJob;
}

/** A call that runs code that is not stored, as a complete job. A bundle is stored with the job. */
export interface PreviewRequest {
  preview: NewJob;
  bundle?: { bytes: Buffer; sha256: string };
}

/** A call that runs a stored version, or code that is not stored. */
export type RunRequest = VersionRunRequest | PreviewRequest;

export type CreateNewJobDeps = { objects: Pick<ObjectTable, "get" | "batchGet">; storage: Storage };

export interface BuildRequestDeps {
  jobs: Pick<JobTable, "get">;
}

/**
 * Returns a new job's fields as the query of a run route names them, with the parent and root that the caller may choose. `scheduled_for` takes
 * precedence over `scheduled_in_secs`.
 */
export async function buildJobOptions(deps: BuildRequestDeps, actor: Actor, workspace: string, query: RunQuery): Promise<JobOptions> {
  const { job_id: id, scheduled_in_secs: delayS, scheduled_for: at } = query;
  const scheduledForMs = at === undefined ? undefined : Date.parse(at);
  return { actor, workspace, id, lineage: await resolveLineage(deps, actor, workspace, query), scheduledForMs, delayS };
}

/** Returns the options that the caller chose, of either form of request. */
export const getJobOptions = (request: RunRequest): JobOptions => ("preview" in request ? request.preview : request.options);

/** Stores the files of a request and returns its job. Throws `file.storageOff`. */
export async function createNewJob(deps: CreateNewJobDeps, request: RunRequest): Promise<NewJob> {
  if ("preview" in request) return createPreviewJob(deps, request);
  const { target, options, tag, cacheTtlS, idempotencyKey, adapt = (job) => job } = request;
  const sent = await escapeForbiddenReferences(deps, options, request.arguments);
  const { files } = sent;
  const version = target.kind === "script" ? buildScriptJobFields(target.version) : buildFlowJobFields(target.version);
  const id = files.length === 0 ? options.id : (options.id ?? uuidv7());
  // The arguments name the files of a form, so these cannot move if the job waits for long. They are stored before the job.
  const stored =
    id === undefined || files.length === 0 ? {} : await storeFiles(deps, { id, workspace: options.workspace, retention: "long" }, files);
  return adapt({
    ...options,
    ...version,
    ...(version.kind === "script" ? { cacheTtlS: cacheTtlS || version.cacheTtlS } : {}),
    id,
    ...(files.length === 0 ? {} : { retention: "long" as const }),
    tag: tag ?? version.tag,
    ...buildJobArguments(target, sent, stored),
    idempotencyKey,
  });
}

/**
 * Returns the job of a request as `createNewJob` does. If the author of the version asks for it, the arguments must match the schema. The arguments
 * of a preprocessor need not, because the run checks its result. Throws `run.arguments` and `file.storageOff`.
 */
export async function createCheckedJob(deps: CreateNewJobDeps, request: RunRequest): Promise<NewJob> {
  const job = await createNewJob(deps, request);
  const problem = "preview" in request || job.preprocess ? undefined : await findArgumentProblem(request.target.version, job.args);
  if (problem) throw problem;
  return job;
}

/** Stores the bundle of a preview and returns its job, which has a fixed place for what it stores. */
async function createPreviewJob({ storage }: CreateNewJobDeps, { preview, bundle }: PreviewRequest): Promise<NewJob> {
  if (!bundle) return preview;
  const job = { ...preview, id: preview.id ?? uuidv7(), retention: "long" as const };
  await storage.putObject(previewBundleKey(job, bundle.sha256), bundle.bytes, "application/octet-stream");
  return job;
}

/** Arguments in which no text refers to what the scopes of the caller's token do not let it read. */
async function escapeForbiddenReferences(deps: CreateNewJobDeps, { actor, workspace }: JobOptions, sent: Arguments): Promise<Arguments> {
  if (actor.kind === "job" || actor.scopes === undefined) return sent;
  const isAllowed = await loadReferenceScope(deps, { actor, workspace }, [sent.args, sent.event]);
  const args = escapeReferences(sent.args, isAllowed) as Record<string, unknown>;
  return { ...sent, args, ...(sent.event ? { event: escapeEventReferences(sent.event, isAllowed) } : {}) };
}

/** The job's arguments: those of the preprocessor where one handles the request. */
function buildJobArguments(target: RunTarget, sent: Arguments, stored: StoredFiles): Pick<NewJob, "args" | "preprocess"> {
  const args = mergeStoredFiles(sent, stored);
  const preprocessor = getPreprocessor(target);
  // A caller who names another function than `main` gets that function called with the arguments as sent.
  const overridden = target.kind === "script" && findEntrypoint(args) !== undefined;
  if (!sent.event || !preprocessor || overridden) return { args };
  return { args: buildPreprocessorArguments(preprocessor, args, addFilesToEvent(sent.event, stored)), preprocess: true };
}

function getPreprocessor({ kind, version }: RunTarget): Parameters<typeof buildPreprocessorArguments>[0] | undefined {
  if (kind === "script") return version.preprocessor;
  return version.preprocessor ? { params: null } : undefined;
}
