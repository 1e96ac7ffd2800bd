import { defined } from "../../contract/defined.ts";
import { describeError, isSvcError } from "../../contract/errors.ts";
import { findExcess } from "../../contract/json/exact-json.ts";
import { createSecretReadEntries } from "../../core/audit/entry.ts";
import type { RunningJob } from "../../core/jobs/record/job.ts";
import { failedEnding } from "../../core/jobs/record/lifecycle.ts";
import { splitEvent } from "../../core/payload/preprocessor-arguments.ts";
import { parseJson } from "../../core/records/record-format.ts";
import { hasReferences } from "../../core/resources/references.ts";
import { findMaskedSecrets } from "../../core/secrets/masked-secrets.ts";
import { toAuditItem } from "../audit/audit.ts";
import { findCachedResult, recordCacheKey, resolveCacheKey } from "../jobs/cache/cache.ts";
import { loadJson } from "../jobs/values/values.ts";
import { findReaders } from "../resources/find-readers.ts";
import { resolveReferences } from "../resources/resolve.ts";
import type { Uses } from "../uses.ts";
import { type CheckedVersion, findArgumentProblem, toInvalidEnding } from "./arguments/check-arguments.ts";
import { decideEnd, type JobEnding } from "./endings/job-ending.ts";
import { type Executable, invokeRunner } from "./invoke-runner.ts";
import type { JobInput } from "./run-job.ts";

export type ResolveAndExecuteDeps = Uses<
  | "jobs"
  | "objects"
  | "storage"
  | "queue"
  | "functions"
  | "dataKeys"
  | "signingKey"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
  | "waitsForMs"
  | "worker"
  | "tenancy"
  | "baseUrl"
  | "internalUrl"
  | "beatUrl"
>;
type Resolvable = Executable & {
  ignorePaths?: boolean | undefined;
  /** The version whose schema the arguments must match, unless a preprocessor creates them. */
  checked?: CheckedVersion | undefined;
};

/**
 * Resolves the references in a job's arguments and runs the job; its record retains the references. A reference that cannot be read ends
 * the job with `BadReference`, and arguments that do not match the schema of a checked version end it with `ValidationError`.
 */
export async function resolveAndExecute(
  deps: ResolveAndExecuteDeps,
  job: RunningJob,
  code: Resolvable,
  { argsJson, together }: JobInput = {},
): Promise<JobEnding | undefined> {
  const { checked, ...runnable } = code;
  const executable = { ...runnable, ...defined({ together }) };
  const storedArgs = (
    argsJson === undefined ? await loadJson(deps, job, job.args) : parseJson({ parent: job.id, ref: "args", json: argsJson })
  ) as Record<string, unknown>;
  const problem = checked && job.preprocess !== "wanted" ? await findArgumentProblem(checked, storedArgs) : undefined;
  if (problem) return decideEnd(job, toInvalidEnding(problem));
  const { event, others } = job.preprocess ? splitEvent(storedArgs) : { event: {}, others: storedArgs };
  const passed = job.redactedArgs ? [...findMaskedSecrets(storedArgs, await loadJson(deps, job, job.redactedArgs))] : [];
  if (!hasReferences(others)) {
    const secretsField = passed.length > 0 ? { argumentSecrets: { secrets: passed, audit: () => [] } } : {};
    return executeUnlessCached(deps, job, { ...executable, ...secretsField }, { storedArgs, resolvedArgs: storedArgs });
  }
  try {
    const readers = findReaders(deps, job);
    const { value, secrets, secretPaths, from } = await resolveReferences(deps, readers, job.workspace, others);
    const excess = findExcess(JSON.stringify(value));
    if (excess)
      return decideEnd(
        job,
        failedEnding({ name: "BadReference", message: `The arguments cannot be used: with their references, ${excess}.` }),
      );
    const [actor] = await readers;
    const audit = (atMs: number) =>
      createSecretReadEntries(job, actor?.username ?? job.createdBy, secretPaths, atMs).map((entry) =>
        deps.objects.putRequest(toAuditItem(entry)),
      );
    const resolvedArgs = { ...(value as Record<string, unknown>), ...event };
    return await executeUnlessCached(
      deps,
      job,
      { ...executable, argumentSecrets: { secrets: [...secrets, ...passed], audit } },
      { storedArgs, resolvedArgs, references: from },
    );
  } catch (error) {
    if (!isSvcError(error) || !error.code.startsWith("reference.")) throw error;
    return decideEnd(job, failedEnding({ name: "BadReference", message: describeError(error).sentence }));
  }
}

/** Runs the job unless a cached result exists. The right to read the arguments was checked before. */
async function executeUnlessCached(
  deps: ResolveAndExecuteDeps,
  job: RunningJob,
  { ignorePaths, ...executable }: Resolvable,
  {
    storedArgs,
    resolvedArgs,
    references,
  }: { storedArgs: Record<string, unknown>; resolvedArgs: Record<string, unknown>; references?: string },
): Promise<JobEnding | undefined> {
  if (job.cacheTtlS === undefined) return invokeRunner(deps, job, executable, { args: resolvedArgs });
  const key = job.cacheKey ?? (await resolveCacheKey(deps, job, resolvedArgs, { args: storedArgs, references, ignorePaths }));
  const cachedResult = key === undefined ? undefined : await findCachedResult(deps, { ...job, cacheKey: key });
  if (cachedResult) return { by: "earlierRun", job, cached: cachedResult };
  // The result is cached under the key in the record, by this process or by the one that records the runner's own report.
  const recorded = key === undefined || key === job.cacheKey ? job : await recordCacheKey(deps, job, key);
  return recorded && invokeRunner(deps, recorded, executable, { args: resolvedArgs });
}
