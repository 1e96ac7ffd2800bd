import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import type { RunnerLanguage } from "../../contract/languages.ts";
import { limits } from "../../contract/limits.ts";
import { artefactObject, typedSourceObject } from "../../core/builds/artefact.ts";
import {
  type ArtefactInputs,
  type BuildRequest,
  type BuildResult,
  buildArtefactKey,
  buildDeclarationsKey,
} from "../../core/builds/build.ts";
import type { Bundle } from "../../core/builds/bundle.ts";
import type { BuildOverrides } from "../../core/builds/packages/overrides.ts";
import type { SelectedDependencies } from "../../core/builds/packages/workspace-dependencies.ts";
import type { Job } from "../../core/jobs/record/job.ts";
import type { Actor } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { loadJobActor } from "../identity/identify.ts";
import { loadScriptVersion, parseScript } from "../scripts/load.ts";
import { hashSource, loadTempSource } from "../scripts/temp-sources.ts";
import type { Uses } from "../uses.ts";

/** The code to build. */
export interface BuildSource {
  workspace: string;
  runner: RunnerLanguage;
  /** A script path; previews without one get `u/<user>/preview`. */
  path: string;
  content: string;
  lock?: string | undefined;
  /** The job that owns the build. Scripts that its user may not read cannot be imported. */
  job: Job;
  overrides?: BuildOverrides | undefined;
}

export type ArtefactResult =
  | { ok: true; key: string; sha256: string; lock: string; log: string }
  | { ok: false; error: string; log: string };

/** The stored record of an artefact. */
/** Returns the artefact of the code: the existing one of equal inputs, or a new one. */
export async function buildArtefact(
  deps: Uses<"objects" | "storage" | "functions" | "target" | "registries">,
  source: BuildSource,
): Promise<ArtefactResult> {
  const gathered = await collectSources(deps, source);
  if ("missing" in gathered) return { ok: false, error: gathered.missing, log: `${gathered.missing}\n` };
  const dependencies = await loadDependencies(deps, source);
  if (dependencies && "missing" in dependencies) return { ok: false, error: dependencies.missing, log: `${dependencies.missing}\n` };
  const inputs = {
    language: source.runner,
    files: gathered.files,
    entry: source.path,
    ...defined({ lock: source.lock, dependencies }),
    target: deps.target,
  };
  return findOrBuild(deps, source.workspace, inputs);
}

/** A bundle to run, with the key of the uploaded file. */
export interface BundleSource {
  workspace: string;
  runner: RunnerLanguage;
  bundle: Bundle;
  s3Key: string;
}

/** Returns the artefact of a bundle: the existing one of an equal bundle, or a new one. A lock has no effect, because the bundle contains the packages. */
export async function buildBundle(
  deps: Uses<"objects" | "storage" | "functions" | "target" | "registries">,
  { workspace, runner, bundle, s3Key }: BundleSource,
): Promise<ArtefactResult> {
  const inputs = { language: runner, files: {}, entry: "", bundle, target: deps.target };
  return findOrBuild(deps, workspace, inputs, { bundleUrl: await deps.storage.createDownloadUrl(s3Key, URL_S) });
}

/** The validity of the URLs that a build uses, in seconds. */
const URL_S = 900;

async function findOrBuild(
  { objects, storage, functions, registries }: Uses<"objects" | "storage" | "functions" | "registries">,
  workspace: string,
  inputs: ArtefactInputs,
  urls: Pick<BuildRequest, "bundleUrl"> = {},
): Promise<ArtefactResult> {
  const key = buildArtefactKey(workspace, inputs);
  const cached = await objects.get(artefactObject.key(key));
  if (cached) {
    const { sha256, lock } = artefactObject.parse(cached);
    return {
      ok: true,
      key,
      sha256,
      lock,
      log: "An artefact with the same sources and dependencies already exists, so no build was necessary.\n",
    };
  }
  const uploadUrl = await storage.createUploadUrl(key, URL_S);
  const declarationsUrl = await storage.createUploadUrl(buildDeclarationsKey(key), URL_S);
  const request = { ...inputs, ...urls, registries, uploadUrl, declarationsUrl, maxArtefactBytes: limits.artefactBytes };
  const result = await functions.invokeBuild(request, workspace);
  if (!result.ok) return result;
  // Written after the upload, so that a recorded artefact always exists.
  await objects.put({ ...artefactObject.key(key), value: toRecord(result) });
  if (result.declares) {
    const { [inputs.entry]: text = "", ...others } = inputs.files;
    const imports = Object.keys(others);
    await objects.put({ ...typedSourceObject.key(workspace, hashSource(text)), value: { key, ...(imports.length > 0 && { imports }) } });
  }
  return { ok: true, key, sha256: result.sha256, lock: result.lock, log: result.log };
}

const toRecord = ({ sha256, lock, bytes, declares }: Extract<BuildResult, { ok: true }>) => ({
  sha256,
  lock,
  bytes,
  ...defined({ declares }),
});

/** Loads the package versions that the workspace selects for a script. A lock already contains all versions. */
async function loadDependencies(
  deps: Uses<"objects">,
  { workspace, runner, path, content, lock, overrides }: BuildSource,
): Promise<SelectedDependencies | { missing: string } | undefined> {
  if (lock !== undefined) return undefined;
  // Few of the functions that can build do so often.
  const { findDependencyFile, findDependencyLanguage, findNamedDependencies, parseDependencies } = await import(
    "../../core/builds/packages/workspace-dependencies.ts"
  );
  const { findDependencyContent } = await import("../workspaces/dependencies.ts");
  const language = findDependencyLanguage(runner);
  if (language === undefined) return undefined;
  const name = findNamedDependencies(language, content);
  const list =
    findDependencyFile(overrides?.dependencyFiles ?? {}, language, name) ??
    (await findDependencyContent(deps, { workspace, language, name }));
  if (list === undefined)
    return name === undefined ? undefined : { missing: `${path} names the list ${name} of package versions, which does not exist.` };
  const entries = parseDependencies(language, list);
  if (typeof entries === "string") return { missing: `The list of package versions for ${language} cannot be used. ${entries}` };
  return Object.keys(entries).length === 0 ? undefined : { entries, all: name !== undefined };
}

const findOwn = (record: Readonly<Record<string, string>> = {}, name: string) => (Object.hasOwn(record, name) ? record[name] : undefined);

/**
 * Collects the script's source and that of every script it imports by path, in their newest versions. Paths that do not exist or that the
 * owner of the build may not read are omitted.
 */
async function collectSources(
  deps: Uses<"objects" | "storage">,
  source: BuildSource,
): Promise<{ files: Record<string, string> } | { missing: string }> {
  const { findMissingScript, listScriptImports } = await import("../../core/builds/imports.ts");
  const { normalizeSource } = await import("../../core/builds/source-text.ts");
  const files: Record<string, string> = { [source.path]: normalizeSource(source.content) };
  const waiting = [source.path];
  let actor: Promise<Actor | undefined> | undefined;
  const mayRead = async (path: string) => {
    actor ??= loadJobActor(deps.objects, source.job);
    const reader = await actor;
    return reader !== undefined && may(reader, actions.readScript.access, { workspace: source.workspace, path });
  };
  const loadDeployed = async (path: string) => {
    const head = parseScript(await deps.objects.get(scriptHeadObject.key(source.workspace, path)));
    if (!head || head.archived || !(await mayRead(path))) return undefined;
    return (await loadScriptVersion(deps, source.workspace, head.hash)).sent.content;
  };
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const imported of listScriptImports(source.runner, path, files[path] ?? "")) {
      if (files[imported] !== undefined) continue;
      const temp = findOwn(source.overrides?.tempScripts, imported);
      const override = findOwn(source.overrides?.sources, imported) ?? (temp && (await loadTempSource(deps, source.workspace, temp)));
      if (override === undefined && temp !== undefined)
        return { missing: `The temporary source of ${imported} is not stored, or its time is over: store it again.` };
      const content = override ?? (await loadDeployed(imported));
      if (content === undefined) continue;
      if (Object.keys(files).length >= limits.importedScripts)
        return { missing: `${source.path} imports more than ${limits.importedScripts} scripts.` };
      files[imported] = normalizeSource(content);
      waiting.push(imported);
    }
  }
  const existingPaths = new Set(Object.keys(files));
  for (const [path, content] of Object.entries(files)) {
    const missing = findMissingScript(source.runner, path, content, existingPaths);
    if (missing) return { missing: `${path} imports ${missing}, and there is no such script.` };
  }
  return { files };
}
