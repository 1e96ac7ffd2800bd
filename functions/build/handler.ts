import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { defined } from "../../contract/defined.ts";
import { getManifest } from "../../contract/languages.ts";
import { type BuildRequest, type BuildResult, buildRequestSchema } from "../../core/builds/build.ts";
import { ImportProblem } from "../../core/builds/packages/packages.ts";
import { isSafeScriptPath } from "../../core/builds/script-paths.ts";
import { observeHandler } from "../shared/observe.ts";
import { createArchive } from "./archive.ts";
import { BuildFailure, BuildSandbox } from "./build-sandbox.ts";
import { builders } from "./builders.ts";
import { unpackBundle } from "./javascript/uploaded-bundle.ts";

/** Shorter than the 5 minutes of a Lambda invocation, to leave time for reporting the failure. */
const BUILD_TIME_MS = 280_000;

/**
 * Builds one script's artefact and uploads it. A mistake in the script is answered as `{ok: false}`; a failed upload or a missing tool
 * throws, because the author cannot correct it. The answer and the log contain nothing about this machine except the tools' own output.
 */
async function build(event: BuildRequest): Promise<BuildResult> {
  const request = buildRequestSchema.parse(event);
  await using sandbox = await BuildSandbox.open(BUILD_TIME_MS);
  try {
    const lock = await fillArtefact(request, sandbox);
    sandbox.checkTime();
    const { bytes, sha256 } = await createArchive(sandbox.out, request.maxArtefactBytes);
    const declares = await uploadDeclarations(request, sandbox);
    await upload(request.uploadUrl, bytes, sandbox.signal);
    return { ok: true, lock, sha256, bytes: bytes.length, log: sandbox.log.toString(), ...defined({ declares }) };
  } catch (error) {
    if (!(error instanceof BuildFailure || error instanceof ImportProblem)) throw error;
    return { ok: false, error: error.message, log: `${sandbox.log}${error.message}\n` };
  }
}

export const handler = observeHandler("build", build, ({ ok }, { language }) => ({ language, ok }));

/** Fills the sandbox with the artefact's files and returns the lock. Throws `BuildFailure` and `ImportProblem`. */
async function fillArtefact(request: BuildRequest, sandbox: BuildSandbox): Promise<string> {
  const { bundle, bundleUrl: url = "" } = request;
  if (bundle) {
    await unpackBundle({ bundle, url }, sandbox);
    return "";
  }
  checkFiles(request);
  return builders[getManifest(request.language).build](request, sandbox);
}

function checkFiles({ files, entry }: BuildRequest): void {
  const unsafe = Object.keys(files).find((path) => !isSafeScriptPath(path));
  if (unsafe !== undefined) throw new BuildFailure(`"${unsafe}" is not a valid script path.`);
  if (files[entry] === undefined) throw new BuildFailure(`There is no script ${entry}.`);
}

/** Uploads the declarations of the packages, before the artefact whose record names them. Returns `true` if there are any. */
async function uploadDeclarations({ declarationsUrl }: BuildRequest, sandbox: BuildSandbox): Promise<true | undefined> {
  if (declarationsUrl === undefined || !existsSync(sandbox.declarations)) return undefined;
  await upload(declarationsUrl, await readFile(sandbox.declarations), sandbox.signal);
  return true;
}

async function upload(url: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { method: "PUT", body: bytes as Uint8Array<ArrayBuffer>, signal });
  if (!response.ok) throw new Error(`The artefact could not be stored: the upload returned ${response.status}.`);
}
