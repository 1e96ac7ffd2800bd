import { findRunner, type RunnerLanguage } from "../../contract/languages.ts";
import type { Bundle } from "../../core/builds/bundle.ts";
import type { BuildOverrides } from "../../core/builds/packages/overrides.ts";
import type { RunningJob } from "../../core/jobs/record/job.ts";
import { failedEnding, noRunnerEnding } from "../../core/jobs/record/lifecycle.ts";
import { buildArtefact, buildBundle } from "../builds/artefact.ts";
import { previewBundleKey } from "../builds/preview-bundle.ts";
import { loadJson } from "../jobs/values/values.ts";
import type { Uses } from "../uses.ts";
import { buildUnderLease } from "./build-under-lease.ts";
import { decideEnd, type JobEnding } from "./endings/job-ending.ts";
import { resolveAndExecute } from "./resolve-and-execute.ts";

/** Builds the code of a preview and runs it. */
export async function runPreview(
  deps: Uses<
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
    | "target"
    | "registries"
  >,
  job: RunningJob,
): Promise<JobEnding | undefined> {
  const { language, code } = job;
  if (!language || !code) return decideEnd(job, failedEnding({ name: "BadPreview", message: "The preview has no code." }));
  const preview = (await loadJson(deps, job, code)) as BuildOverrides & { content: string; lock?: string; bundle?: Bundle };
  const runner = findRunner(language, preview.content);
  if (!runner) return decideEnd(job, noRunnerEnding(language));
  const building = preview.bundle ? buildUploaded(deps, job, runner, preview.bundle) : buildSource(deps, job, runner, preview);
  const artefact = await buildUnderLease(deps, job, building);
  if ("state" in artefact) return decideEnd(job, artefact);
  if (!artefact.ok) return decideEnd(job, { ...failedEnding({ name: "DependencyError", message: artefact.error }), log: artefact.log });
  const { readScriptInterface: interfaceOf } = await import("../../core/scripts/interface.ts");
  return resolveAndExecute(deps, job, { runner, artefact, ...interfaceOf(language, preview.content), dedicated: false });
}

const buildUploaded = (
  deps: Uses<"objects" | "storage" | "functions" | "target" | "registries">,
  job: RunningJob,
  runner: RunnerLanguage,
  bundle: Bundle,
) => buildBundle(deps, { workspace: job.workspace, runner, bundle, s3Key: previewBundleKey(job, bundle.sha256) });

const buildSource = (
  deps: Uses<"objects" | "storage" | "functions" | "target" | "registries">,
  job: RunningJob,
  runner: RunnerLanguage,
  { content, lock, tempScripts }: BuildOverrides & { content: string; lock?: string },
) =>
  buildArtefact(deps, {
    workspace: job.workspace,
    runner,
    path: job.path ?? `${job.permissionedAs}/preview`,
    content,
    lock: lock || undefined,
    job,
    overrides: { tempScripts },
  });
