import { findRunner } from "../../contract/languages.ts";
import type { BuildOverrides } from "../../core/builds/overrides.ts";
import type { RunningJob } from "../../core/jobs/job.ts";
import { failedEnding, noRunnerEnding } from "../../core/jobs/lifecycle.ts";
import { type BuildDeps, buildArtefact } from "../builds/artefact.ts";
import { endJob, type FinishedJob } from "../jobs/lifecycle/finish.ts";
import { loadJson } from "../jobs/values/values.ts";
import { buildUnderLease } from "./build-under-lease.ts";
import { type ResolveAndExecuteDeps, resolveAndExecute } from "./resolve-and-execute.ts";

/** Builds the code of a preview and runs it. */
export async function runPreview(deps: ResolveAndExecuteDeps & BuildDeps, job: RunningJob): Promise<FinishedJob | undefined> {
  const { language, code } = job;
  if (!language || !code) return endJob(deps, job, failedEnding({ name: "BadPreview", message: "The preview has no code." }));
  const preview = (await loadJson(deps, job, code)) as { content: string; lock?: string } & BuildOverrides;
  const runner = findRunner(language, preview.content);
  if (!runner) return endJob(deps, job, noRunnerEnding(language));
  const source = {
    workspace: job.workspace,
    runner,
    path: job.path ?? `${job.permissionedAs}/preview`,
    content: preview.content,
    lock: preview.lock || undefined,
    job,
    overrides: { tempScripts: preview.tempScripts },
  };
  const artefact = await buildUnderLease(deps, job, buildArtefact(deps, source));
  if (!artefact) return undefined;
  if (!artefact.ok) return endJob(deps, job, failedEnding({ name: "DependencyError", message: artefact.error }), { log: artefact.log });
  const { readScriptInterface: interfaceOf } = await import("../../core/scripts/interface.ts");
  return resolveAndExecute(deps, job, { runner, artefact, ...interfaceOf(language, preview.content), dedicated: false });
}
