import { createHash } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import { holdsBigInt } from "../../contract/json/exact-json.ts";
import { getManifest, type RunnerLanguage } from "../../contract/languages.ts";
import { limits } from "../../contract/limits.ts";
import { buildContextualVariables } from "../../core/jobs/contextual-variables.ts";
import type { RunningJob } from "../../core/jobs/record/job.ts";
import { canceledEnding, mayRetryLoss, workerLostEnding } from "../../core/jobs/record/lifecycle.ts";
import { resultObjectKey } from "../../core/jobs/record/retention.ts";
import { buildIdentityKey, buildTenantKey } from "../../core/jobs/tenant.ts";
import { countOutcome, reportFailure, reportRun } from "../../core/telemetry/telemetry.ts";
import type { PutRequest } from "../../ports/object-store.ts";
import type { NextRun, RunOutcome, RunRequest } from "../../runners/protocol.ts";
import { createJobToken } from "../identity/tokens/job-token.ts";
import { reclaimJob, renewLeaseDuring } from "../jobs/lifecycle/claim.ts";
import { retryWhileBusy } from "../jobs/lifecycle/retry-while-busy.ts";
import { prepareSharedFolder } from "../jobs/lifecycle/shared-folder.ts";
import { postponeJob } from "../jobs/queue/postpone-job.ts";
import { recordSecrets } from "../secrets/masks.ts";
import type { Uses } from "../uses.ts";
import { type BatchRecorder, decideEnd, type JobEnding, loadRecordedEnding, toRecordedEnding } from "./endings/job-ending.ts";
import { findLostRight } from "./rights/lost-rights.ts";
import { lastRunTimes } from "./run-times.ts";

export type InvokeRunnerDeps = Uses<
  | "jobs"
  | "objects"
  | "storage"
  | "queue"
  | "functions"
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

/** The part of a runner's request that the version of a script determines. */
export interface Executable extends Pick<RunRequest, "params" | "dedicated"> {
  runner: RunnerLanguage;
  artefact: Omit<RunRequest["artefact"], "url">;
  paramTypes?: RunRequest["paramTypes"] | undefined;
  preprocessor?: RunRequest["preprocessor"] | undefined;
  /** The secrets in its arguments, which its output must not show, and the audit log entries of reading them. */
  argumentSecrets?: { secrets: readonly string[]; audit: (atMs: number) => PutRequest[] };
  together?: RunnerBatch;
}

/** Runs that may follow this one in the same call. */
export interface RunnerBatch extends BatchRecorder {
  /** All runs with this key share one process. */
  host: string;
  withinMs: number;
  /** The S3 key for a result that is too large for the reply. */
  resultKey: string;
  runs: (Pick<Executable, "artefact" | "params" | "paramTypes"> & { job: Omit<RunningJob, "args">; args: NextRun["args"] })[];
}

/** The argument that names another function than `main` (api.md §5). */
export const ENTRYPOINT_ARGUMENT = "_ENTRYPOINT_OVERRIDE";

/** Returns the function that the arguments name, if they name one. Any other value of the argument does not affect the call. */
export function findEntrypoint({ [ENTRYPOINT_ARGUMENT]: name }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof name === "string" && name !== "" ? name : undefined;
}

/**
 * Runs a claimed job, with a new attempt after each loss of its runner. Returns its end, or `undefined` if the job continues elsewhere: it was returned to the queue because no runner was free, or another attempt has claimed it. `first` is the prepared
 * request of the first attempt, if there is one.
 */
export async function invokeRunner(
  deps: InvokeRunnerDeps,
  job: RunningJob,
  executable: Executable,
  { args, first }: { args: Record<string, unknown>; first?: RunRequest },
): Promise<JobEnding | undefined> {
  const { functions } = deps;
  for (let attempt = job, prepared = first; ; prepared = undefined) {
    const runRequest = prepared ?? (await buildRunnerRequest(deps, attempt, executable, args));
    if (executable.argumentSecrets?.secrets.length) {
      // Recorded for each attempt, because each has its own token.
      const recorded = await recordSecrets(
        deps,
        attempt,
        { token: runRequest.token, secrets: executable.argumentSecrets.secrets },
        {
          audit: executable.argumentSecrets.audit,
          nowMs: deps.nowMs(),
        },
      );
      if (recorded?.state !== "running" || recorded.nonce !== attempt.nonce) return toRecordedEnding(recorded);
      attempt = recorded;
    }
    const call = functions.invokeRunner(executable.runner, runRequest, buildTenantKey(attempt, deps.tenancy));
    const invocation = await renewLeaseDuring(deps, attempt, call, {
      everyMs: limits.executorRenewMs,
      untilMs: deps.nowMs() + waitLimitMs(deps, attempt, executable),
      // The cancellation reaches the runner by its heartbeats. If they do not arrive, the lease ends, and housekeeping ends the job.
      onCancel: (_, stop) => stop(),
    });
    switch (invocation.kind) {
      case "outcome": {
        const { outcome } = invocation;
        reportOutcome(attempt, executable.runner, outcome);
        lastRunTimes.note(executable.artefact.key, outcome.timings.runMs);
        const report = { outcome, token: runRequest.token, recordedSecrets: executable.argumentSecrets?.secrets };
        return { by: "runner", job: attempt, report, batch: executable.together };
      }
      case "throttled": {
        const refused = attempt;
        countOutcome("RunnerThrottles");
        await retryWhileBusy(deps, () => postponeJob(deps, refused));
        return undefined;
      }
      case "unknown":
        // The runner may still be alive and report the end itself. If not, its lease expires and housekeeping queues the job again.
        return loadRecordedEnding(deps, job.id);
      case "lost": {
        countOutcome("LostAttempts");
        reportFailure("A runner was lost", invocation.reason, { job: job.id, attempt: job.attempt });
        const next = await handleLoss(deps, attempt);
        if (!next || "by" in next) return next;
        attempt = next;
      }
    }
  }
}

/** Writes the data for operators to the log. The script may have replaced its supervisor, so nothing from the answer is written unchecked. */
function reportOutcome({ id: job, workspace, attempt }: RunningJob, language: RunnerLanguage, outcome: RunOutcome): void {
  const { problem, memPeakKb, timings } = outcome;
  const number = (value: unknown) => (typeof value === "number" ? Math.round(value * 100) / 100 : undefined);
  if (typeof problem === "string") reportFailure("A runner failed", problem.slice(0, 2000), { job, attempt });
  reportRun({
    job,
    workspace,
    attempt,
    language,
    outcome: typeof outcome.outcome === "string" ? outcome.outcome.slice(0, 20) : "unknown",
    setupMs: number(timings?.setupMs),
    runMs: number(timings?.runMs),
    totalMs: number(timings?.totalMs),
    memPeakKb: number(memPeakKb),
    freshHost: timings?.freshHost === true,
  });
}

/** The time beyond a run's own limit that its call may take: for the download of its code and the upload of its result. */
const AROUND_RUN_S = 120;

/** Returns the time for which the executor waits for the runner and renews the lease of the run: a longer call counts as lost. */
function waitLimitMs({ waitsForMs }: InvokeRunnerDeps, { timeoutS }: RunningJob, { together }: Executable): number {
  const longestS = [...(together?.runs ?? []), { job: { timeoutS } }].reduce((sum, { job }) => sum + job.timeoutS, AROUND_RUN_S);
  return Math.max(0, Math.min(waitsForMs(), longestS * 1000));
}

/** Claims another attempt after a runner was lost, or returns the end of the job. */
async function handleLoss(deps: InvokeRunnerDeps, lost: RunningJob): Promise<RunningJob | JobEnding | undefined> {
  const now = await deps.jobs.get(lost.id);
  if (now?.state !== "running" || now.nonce !== lost.nonce) return toRecordedEnding(now);
  if (now.cancel) return decideEnd(now, canceledEnding(now.cancel));
  if (!mayRetryLoss(now)) return decideEnd(now, workerLostEnding(limits.maxAttempts));
  const right = await findLostRight(deps, now);
  return right ? decideEnd(now, right) : reclaimJob(deps, now);
}

/** Builds the runner's request for one attempt. */
export async function buildRunnerRequest(
  deps: InvokeRunnerDeps,
  job: RunningJob,
  executable: Executable,
  args: Record<string, unknown>,
): Promise<RunRequest> {
  const { storage, baseUrl, internalUrl, nowMs } = deps;
  const { [ENTRYPOINT_ARGUMENT]: _, ...rest } = args;
  const entrypoint = findEntrypoint(args) ?? "main";
  const lifetimeS = job.timeoutS + AROUND_RUN_S;
  const [url, resultUrl, token, shared, followUrls] = await Promise.all([
    storage.getSharedDownloadUrl(executable.artefact.key, lifetimeS),
    storage.createUploadUrl(resultObjectKey(job, job.attempt), lifetimeS),
    deps.signingKey().then((key) => createJobToken(key, job, nowMs())),
    prepareSharedFolder(deps, job, lifetimeS),
    Promise.all(executable.together?.runs.map(({ artefact }) => storage.getSharedDownloadUrl(artefact.key, lifetimeS)) ?? []),
  ]);
  const env = buildContextualVariables({ job, attempt: job.attempt, token, internalUrl, baseUrl });
  const next = executable.together && {
    withinMs: executable.together.withinMs,
    resultUrl: await storage.createUploadUrl(executable.together.resultKey, lifetimeS),
    runs: executable.together.runs.map(({ job: following, artefact, params, paramTypes, args: followingArgs }, index) => ({
      artefact: { ...artefact, url: followUrls[index] ?? "" },
      params,
      ...defined({ paramTypes }),
      timeoutMs: following.timeoutS * 1000,
      args: followingArgs,
      env: omitEqualEntries(buildContextualVariables({ job: following, attempt: 1, token, internalUrl, baseUrl }), env),
    })),
  };
  return {
    job: job.id,
    workspace: job.workspace,
    attempt: job.attempt,
    nonce: job.nonce,
    language: executable.runner,
    artefact: { ...executable.artefact, url },
    entrypoint,
    params: entrypoint === "main" ? executable.params : null,
    // Another function may have parameters with the same names.
    ...(executable.paramTypes && entrypoint === "main" ? { paramTypes: executable.paramTypes } : {}),
    ...passArguments(executable.runner, rest),
    ...(job.preprocess === "wanted" ? { preprocessor: executable.preprocessor ?? { params: null } } : {}),
    env,
    timeoutMs: job.timeoutS * 1000,
    hostKey: createHash("sha256")
      .update(`${buildIdentityKey(job)}\n${executable.together?.host ?? executable.artefact.sha256}`)
      .digest("hex")
      .slice(0, 32),
    ...(executable.together ? { dedicated: true, together: true, next } : { dedicated: executable.dedicated }),
    ...defined({ shared }),
    watched: (job.watchedUntilMs ?? 0) > nowMs(),
    resultUrl,
    maxInlineResultBytes: limits.syncReplyBytes,
    maxResultBytes: limits.resultBytes,
    maxLogBytes: limits.logBytes,
    internalUrl: deps.beatUrl,
    token,
    executorWaitsMs: waitLimitMs(deps, job, executable),
  };
}

/** Returns the arguments in a form that the runner of a language reads without rounding numbers. */
export function passArguments(runner: RunnerLanguage, args: Record<string, unknown>): Pick<RunRequest, "args" | "exactArgs"> {
  if (!getManifest(runner)?.exactArguments || !holdsBigInt(args)) return { args };
  return { args: {}, exactArgs: Buffer.from(JSON.stringify(args)).toString("base64") };
}

/** Returns the entries that are missing or different in the other record. */
const omitEqualEntries = (env: Record<string, string>, other: Record<string, string>) =>
  Object.fromEntries(Object.entries(env).filter(([name, value]) => other[name] !== value));
