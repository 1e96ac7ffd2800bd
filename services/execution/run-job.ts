import { answerFor, isSvcError } from "../../contract/errors.ts";
import { runnerFor } from "../../contract/languages.ts";
import { readsOfJob } from "../../core/audit/entry.ts";
import type { RunningJob } from "../../core/jobs/job.ts";
import { canceled, failure, type JobAnswer, type JobCall, type JobMessage, mayRetryLoss } from "../../core/jobs/lifecycle.ts";
import { keys } from "../../core/objects/keys.ts";
import { splitEvent } from "../../core/payload/preprocessor.ts";
import { hasReferences } from "../../core/resources/references.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { secretsIn } from "../../core/secrets/shown.ts";
import { entryItem } from "../audit/audit.ts";
import { artefactFor } from "../builds/artefact.ts";
import { type BuildVersionDeps, buildVersion, settleBuild, waitersOf } from "../builds/build-version.ts";
import { buildFlow } from "../flows/definitions/build.ts";
import { loadPlan } from "../flows/definitions/load.ts";
import { wake } from "../flows/lifecycle/finish.ts";
import { type StartFlowDeps, startFlow } from "../flows/lifecycle/start.ts";
import { resumeParentTask } from "../flows/runtime/resume-parent-task.ts";
import { cachedResult, keyWithFiles, noteKey } from "../jobs/cache/cache.ts";
import { type ConcurrencyDeps, claimLimited, releaseSlot } from "../jobs/concurrency/concurrency.ts";
import { claim, holding, release } from "../jobs/lifecycle/claim.ts";
import { endFromCache, endWith, type JustEnded } from "../jobs/lifecycle/finish.ts";
import { send } from "../jobs/queue/enqueue.ts";
import { loadValue } from "../jobs/values/values.ts";
import { readersOf } from "../resources/readers.ts";
import { type ResolveDeps, resolve } from "../resources/resolve.ts";
import { versionOf } from "../scripts/load.ts";
import { type Executable, execute, type InvokeRunnerDeps, type Together } from "./invoke-runner.ts";

export type RunJobDeps = InvokeRunnerDeps & BuildVersionDeps & ResolveDeps & ConcurrencyDeps & StartFlowDeps;

/** Versions whose build has ended: they change no more in what a run needs, so a warm worker reads them once. */
const settled = new Map<string, Runnable>();
const SETTLED_MOST = 500;
/** What failed for a moment gets this long to recover. */
const RETRY_MS = 3000;

/**
 * Does the job of one message. Claiming decides: a repeated message, or one for a job that has ended, does nothing. Answers the
 * ended job, or `undefined` when there was nothing to do or the job goes on elsewhere.
 */
export async function handleJobMessage(deps: RunJobDeps, message: JobMessage): Promise<JustEnded | undefined> {
  const { job: id, group } = message;
  const job = group === undefined ? await claim(deps, id) : await claimLimited(deps, id, group);
  if (!job) return undefined;
  return (await endWithFlow(deps, job)) ?? runJob(deps, job);
}

/** A step that has waited in the queue does not begin when its flow has ended meanwhile. */
async function endWithFlow(deps: RunJobDeps, job: RunningJob): Promise<JustEnded | undefined> {
  if (!job.step || job.parent === undefined) return undefined;
  const flow = await deps.jobs.get(job.parent);
  if (flow?.state === "running" && !flow.cancel) return undefined;
  const cancel = flow?.cancel ?? { by: "svc", reason: "its flow has ended" };
  const ended = await endWith(deps, job, canceled(cancel), "", { cancel });
  if (ended) await releaseSlot(deps, ended);
  return ended;
}

/** Results up to this size are part of a worker's answer to a call. */
const ANSWERED_BYTES = 256 * 1024;

/** Does the job of one call: its caller has claimed it. */
export async function handleInvocation(deps: RunJobDeps, { running, argsJson }: JobCall): Promise<JobAnswer> {
  const ended = await runJob(deps, running, argsJson);
  if (!ended) return null;
  const { resultJson, ...head } = ended;
  return resultJson !== undefined && resultJson.length <= ANSWERED_BYTES ? ended : head;
}

/** Carries out a claimed job. `undefined`: it goes on elsewhere, and its end will show in its record. */
export async function runJob(deps: RunJobDeps, job: RunningJob, argsJson?: string, together?: Together): Promise<JustEnded | undefined> {
  const ended = await endOf(deps, job, argsJson, together).catch((error: unknown) => giveUpAttempt(deps, job, error));
  if (ended) {
    await resumeParentTask(deps, ended);
    await releaseSlot(deps, ended);
    await wake(deps, ended);
  }
  return ended;
}

function endOf(deps: RunJobDeps, job: RunningJob, argsJson?: string, together?: Together): Promise<JustEnded | undefined> {
  switch (job.kind) {
    case "script":
      return runScript(deps, job, argsJson, together);
    case "preview":
      return runPreview(deps, job);
    case "dependencies":
      return built(deps, job, buildVersion(deps, job));
    case "flowdependencies":
      return built(deps, job, buildFlow(deps, job));
    case "flow":
    case "flowpreview":
      return startFlow(deps, job, waitForBuild);
    case "flowscript":
      return runInline(deps, job, argsJson, together);
    default:
      return endWith(deps, job, failure({ name: "NotSupported", message: `Jobs of kind ${job.kind} are not supported yet.` }));
  }
}

/** What a build yields; `undefined` when the job was canceled meanwhile and has ended as that, whatever the build still does. */
async function built<T>(deps: RunJobDeps, job: RunningJob, building: Promise<T>): Promise<T | undefined> {
  const stopped = Promise.withResolvers<undefined>();
  const onCancel = ({ cancel = { by: "", reason: "" } }: RunningJob) =>
    void endWith(deps, job, canceled(cancel)).then(() => stopped.resolve(undefined), stopped.reject);
  return Promise.race([holding(deps, job, building, onCancel), stopped.promise]);
}

/** Something here failed, not the script: the attempt counts as lost and another follows, the last failure is the job's end. */
async function giveUpAttempt(deps: RunJobDeps, job: RunningJob, error: unknown): Promise<JustEnded | undefined> {
  const now = await deps.jobs.get(job.id);
  if (now?.state !== "running" || now.nonce !== job.nonce) return undefined;
  if (!mayRetryLoss(now)) {
    return endWith(deps, now, failure({ name: "InternalError", message: "The service failed three times to run this job." }));
  }
  if (await release(deps, now, { lost: true })) await send(deps, { ...now, scheduledForMs: deps.nowMs() + RETRY_MS });
  throw error;
}

async function runScript(deps: RunJobDeps, job: RunningJob, argsJson?: string, together?: Together): Promise<JustEnded | undefined> {
  const { hash = "" } = job;
  const runnable = settled.get(hash) ?? versionOf(await deps.objects.get(keys.version(job.workspace, hash)), hash);
  const build = await settleBuild(deps, runnable);
  switch (build.state) {
    case "none":
      return endWith(deps, job, noRunner(runnable.language));
    case "pending":
      return waitForBuild(deps, job, async () => {
        const now = versionOf(await deps.objects.get(keys.version(job.workspace, hash)), hash);
        return now.build.state === "pending";
      });
    case "failed":
      return endWith(deps, job, failure({ name: "DependencyError", message: build.error }));
    case "ready": {
      if (settled.size >= SETTLED_MOST) settled.clear();
      settled.set(hash, runnable);
      if (!runnable.runner) return endWith(deps, job, noRunner(runnable.language));
      const { runner, params, paramTypes, preprocessor, dedicated, cacheIgnoresPaths: ignorePaths } = runnable;
      const what = { runner, artefact: build, params, paramTypes, preprocessor, dedicated, ignorePaths, ...(together ? { together } : {}) };
      return executeResolved(deps, job, what, argsJson);
    }
  }
}

/**
 * Gives the job back until its version is built. It registers first and looks again after: whoever records the build looks for
 * waiting jobs afterwards, so one of the two sees the other.
 */
async function waitForBuild(deps: RunJobDeps, job: RunningJob, isPending: () => Promise<boolean>): Promise<undefined> {
  const { hash = "", workspace } = job;
  const parent = waitersOf(workspace, hash);
  if (!(await release(deps, job))) return undefined;
  await deps.jobs.putChild({ parent, ref: job.id, expiresAtS: Math.ceil(job.expiresAtMs / 1000) });
  if (!(await isPending())) {
    await deps.queue.send(job);
    await deps.jobs.deleteItem(parent, job.id);
  }
  return undefined;
}

/** A step's own code, which was built with its flow. */
async function runInline(deps: RunJobDeps, job: RunningJob, argsJson?: string, together?: Together): Promise<JustEnded | undefined> {
  const flow = await deps.jobs.get(job.parent ?? "");
  const script = flow?.flow?.plan && (await loadPlan(deps, flow.flow.plan)).scripts[job.step?.id ?? ""];
  if (!script) return endWith(deps, job, noRunner(job.language ?? "an unknown language"));
  const { runner, params, paramTypes, key, sha256 } = script;
  const what = { runner, artefact: { key, sha256 }, params, paramTypes, dedicated: false, ...(together ? { together } : {}) };
  return executeResolved(deps, job, what, argsJson);
}

async function runPreview(deps: RunJobDeps, job: RunningJob): Promise<JustEnded | undefined> {
  const { language, code } = job;
  if (!language || !code) return endWith(deps, job, failure({ name: "BadPreview", message: "The preview has no code." }));
  const preview = JSON.parse(await loadValue(deps, job, code)) as { content: string; lock?: string };
  const runner = runnerFor(language, preview.content);
  if (!runner) return endWith(deps, job, noRunner(language));
  const source = {
    workspace: job.workspace,
    runner,
    path: job.path ?? `${job.permissionedAs}/preview`,
    content: preview.content,
    lock: preview.lock || undefined,
    job,
  };
  const artefact = await built(deps, job, artefactFor(deps, source));
  if (!artefact) return undefined;
  if (!artefact.ok) return endWith(deps, job, failure({ name: "DependencyError", message: artefact.error }), artefact.log);
  const { interfaceOf } = await import("../../core/scripts/interface.ts");
  return executeResolved(deps, job, { runner, artefact, ...interfaceOf(language, preview.content), dedicated: false });
}

/** Runs the job with its arguments, each reference replaced only now by what it stands for; the record keeps the references. */
async function executeResolved(deps: RunJobDeps, job: RunningJob, what: Resolvable, argsJson?: string): Promise<JustEnded | undefined> {
  const sent = JSON.parse(argsJson ?? (await loadValue(deps, job, job.args))) as Record<string, unknown>;
  const { event, others } = job.preprocess ? splitEvent(sent) : { event: {}, others: sent };
  const passed = job.argsShown ? [...secretsIn(sent, JSON.parse(await loadValue(deps, job, job.argsShown)))] : [];
  if (!hasReferences(others)) {
    const given = passed.length > 0 ? { given: { secrets: passed, audit: () => [] } } : {};
    return executeUnlessCached(deps, job, { ...what, ...given }, { sent, given: sent });
  }
  try {
    const readers = readersOf(deps, job);
    const { value, secrets, secretPaths, from } = await resolve(deps, readers, job.workspace, others);
    const [actor] = await readers;
    const audit = (atMs: number) =>
      readsOfJob(job, actor?.username ?? job.createdBy, secretPaths, atMs).map((entry) => deps.objects.putRequest(entryItem(entry)));
    const given = { ...(value as Record<string, unknown>), ...event };
    return await executeUnlessCached(
      deps,
      job,
      { ...what, given: { secrets: [...secrets, ...passed], audit } },
      { sent, given, references: from },
    );
  } catch (error) {
    if (!isSvcError(error) || !error.code.startsWith("reference.")) throw error;
    return endWith(deps, job, failure({ name: "BadReference", message: answerFor(error).sentence }));
  }
}

type Resolvable = Executable & { ignorePaths?: boolean | undefined };

/** Runs the job, unless an earlier result may stand for it. What it was allowed to read has been asked before. */
async function executeUnlessCached(
  deps: RunJobDeps,
  job: RunningJob,
  { ignorePaths, ...what }: Resolvable,
  { sent, given, references }: { sent: Record<string, unknown>; given: Record<string, unknown>; references?: string },
): Promise<JustEnded | undefined> {
  if (job.cacheTtlS === undefined) return execute(deps, job, what, given);
  const key = job.cacheKey ?? (await keyWithFiles(deps, job, given, { args: sent, references, ignorePaths }));
  const known = key === undefined ? undefined : await cachedResult(deps, { ...job, cacheKey: key });
  if (known) return endFromCache(deps, job, known);
  // Whoever ends the run, this function or the runner's own report, notes its result under the key in the record.
  const noted = key === undefined || key === job.cacheKey ? job : await noteKey(deps, job, key);
  return noted && execute(deps, noted, what, given);
}

const noRunner = (language: string) =>
  failure({ name: "NoRunner", message: `Scripts in ${language} can be stored, but this service cannot run them.` });
