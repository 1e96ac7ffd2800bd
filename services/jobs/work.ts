import { answerFor, isSvcError } from "../../contract/errors.ts";
import { runnerFor } from "../../contract/languages.ts";
import type { EndedJob, RunningJob } from "../../core/jobs/job.ts";
import { canceled, failure, type JobMessage, mayRetryLoss } from "../../core/jobs/lifecycle.ts";
import { keys } from "../../core/objects/keys.ts";
import { hasReferences } from "../../core/resources/references.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { artefactFor } from "../builds/artefact.ts";
import { type BuildingVersions, buildVersion, settleBuild, waitersOf } from "../builds/build-version.ts";
import { actorOfJob } from "../identity/identify.ts";
import { type Resolving, resolve } from "../resources/resolve.ts";
import { versionOf } from "../scripts/load.ts";
import { send } from "./accept.ts";
import { claim, holding, release } from "./claim.ts";
import { type Executable, type Executing, execute } from "./execute.ts";
import { endWith } from "./finish.ts";
import { load } from "./places.ts";

export type Working = Executing & BuildingVersions & Resolving;

/** Versions whose build has ended: they change no more in what a run needs, so a warm worker reads them once. */
const settled = new Map<string, Runnable>();
const SETTLED_MOST = 500;
/** What failed for a moment gets this long to recover. */
const RETRY_MS = 3000;

/**
 * Does the job of one message. Claiming decides: a repeated message, or one for a job that has ended, does nothing. Answers the
 * ended job, or `undefined` when there was nothing to do or the job goes on elsewhere.
 */
export async function work(working: Working, message: JobMessage): Promise<EndedJob | undefined> {
  const known = message.hash === undefined ? undefined : settled.get(message.hash);
  const job = await claim(working, message.job);
  if (!job) return undefined;
  try {
    return await workOn(working, job, known);
  } catch (error) {
    return giveUpAttempt(working, job, error);
  }
}

function workOn(working: Working, job: RunningJob, known: Runnable | undefined): Promise<EndedJob | undefined> {
  switch (job.kind) {
    case "script":
      return runScript(working, job, known);
    case "preview":
      return runPreview(working, job);
    case "dependencies":
      return built(working, job, buildVersion(working, job));
    default:
      return endWith(working, job, failure({ name: "NotSupported", message: `Jobs of kind ${job.kind} cannot be run yet.` }));
  }
}

/** What a build yields; `undefined` when the job was canceled meanwhile and has ended as that, whatever the build still does. */
async function built<T>(working: Working, job: RunningJob, building: Promise<T>): Promise<T | undefined> {
  const stopped = Promise.withResolvers<undefined>();
  const onCancel = ({ cancel = { by: "", reason: "" } }: RunningJob) =>
    void endWith(working, job, canceled(cancel)).then(() => stopped.resolve(undefined), stopped.reject);
  return Promise.race([holding(working, job, building, onCancel), stopped.promise]);
}

/** Something here failed, not the script: the attempt counts as lost and another follows, the last failure is the job's end. */
async function giveUpAttempt(working: Working, job: RunningJob, error: unknown): Promise<EndedJob | undefined> {
  const now = await working.jobs.get(job.id);
  if (now?.state !== "running" || now.nonce !== job.nonce) return undefined;
  if (!mayRetryLoss(now)) {
    return endWith(working, now, failure({ name: "InternalError", message: "The service failed three times to carry this job out." }));
  }
  if (await release(working, now, { lost: true })) await send(working, { ...now, scheduledForMs: working.nowMs() + RETRY_MS });
  throw error;
}

async function runScript(working: Working, job: RunningJob, known: Runnable | undefined): Promise<EndedJob | undefined> {
  const { hash = "" } = job;
  const runnable = known ?? versionOf(await working.objects.get(keys.version(job.workspace, hash)), hash);
  const build = await settleBuild(working, runnable);
  switch (build.state) {
    case "none":
      return endWith(working, job, noRunner(runnable.language));
    case "pending":
      return waitForBuild(working, job);
    case "failed":
      return endWith(working, job, failure({ name: "DependencyError", message: build.error }));
    case "ready": {
      if (settled.size >= SETTLED_MOST) settled.clear();
      settled.set(hash, runnable);
      if (!runnable.runner) return endWith(working, job, noRunner(runnable.language));
      const { runner, params, paramTypes, dedicated } = runnable;
      return executeResolved(working, job, { runner, artefact: build, params, paramTypes, dedicated });
    }
  }
}

/**
 * Gives the job back until its version is built. It registers first and looks again after: whoever records the build looks for
 * waiting jobs afterwards, so one of the two sees the other.
 */
async function waitForBuild(working: Working, job: RunningJob): Promise<undefined> {
  const { hash = "", workspace } = job;
  const parent = waitersOf(workspace, hash);
  if (!(await release(working, job))) return undefined;
  await working.jobs.putChild({ parent, ref: job.id, expiresAtS: Math.ceil(job.expiresAtMs / 1000) });
  const now = versionOf(await working.objects.get(keys.version(workspace, hash)), hash);
  if (now.build.state !== "pending") {
    await working.queue.send(workspace, { job: job.id, hash });
    await working.jobs.deleteItem(parent, job.id);
  }
  return undefined;
}

async function runPreview(working: Working, job: RunningJob): Promise<EndedJob | undefined> {
  const { language, code } = job;
  if (!language || !code) return endWith(working, job, failure({ name: "BadPreview", message: "The preview has no code." }));
  const preview = JSON.parse(await load(working, job, code)) as { content: string; lock?: string };
  const runner = runnerFor(language, preview.content);
  if (!runner) return endWith(working, job, noRunner(language));
  const source = {
    workspace: job.workspace,
    runner,
    path: job.path ?? `${job.permissionedAs}/preview`,
    content: preview.content,
    lock: preview.lock || undefined,
    job,
  };
  const artefact = await built(working, job, artefactFor(working, source));
  if (!artefact) return undefined;
  if (!artefact.ok) return endWith(working, job, failure({ name: "DependencyError", message: artefact.error }), artefact.log);
  const { interfaceOf } = await import("../../core/scripts/interface.ts");
  return executeResolved(working, job, { runner, artefact, ...interfaceOf(language, preview.content), dedicated: false });
}

/** Runs the job with its arguments, each reference replaced only now by what it stands for; the record keeps the references. */
async function executeResolved(working: Working, job: RunningJob, what: Executable): Promise<EndedJob | undefined> {
  const sent = JSON.parse(await load(working, job, job.args)) as Record<string, unknown>;
  if (!hasReferences(sent)) return execute(working, job, what, sent);
  try {
    // Its rights now, whatever they were when it was queued.
    const { value, secrets } = await resolve(working, await actorOfJob(working.objects, job), job.workspace, sent);
    return await execute(working, job, { ...what, secrets }, value as Record<string, unknown>);
  } catch (error) {
    if (!isSvcError(error) || !error.code.startsWith("reference.")) throw error;
    return endWith(working, job, failure({ name: "BadReference", message: answerFor(error).sentence }));
  }
}

const noRunner = (language: string) =>
  failure({ name: "NoRunner", message: `Scripts in ${language} are kept, but nothing here can run them.` });
