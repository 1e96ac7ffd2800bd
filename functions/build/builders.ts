import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getManifest, type RunnerManifest } from "../../contract/languages.ts";
import type { BuildRequest } from "../../core/builds/build.ts";
import type { BuildSandbox } from "./build-sandbox.ts";
import { buildGo } from "./go/go.ts";
import { buildJavascript } from "./javascript/javascript.ts";
import { buildPython } from "./python/python.ts";

/** Fills `room.out` with the artefact's files and returns the lock, empty when nothing was resolved. Throws `BuildFailure`. */
type Builder = (request: BuildRequest, sandbox: BuildSandbox) => Promise<string>;

/** The builders by the name that a runner manifest gives. */
export const builders: Record<RunnerManifest["build"], Builder> = {
  javascript: buildJavascript,
  python: buildPython,
  go: buildGo,
  file: buildFile,
};

/** The source itself is the artefact. */
async function buildFile({ language, files, entry }: BuildRequest, sandbox: BuildSandbox): Promise<string> {
  await writeFile(join(sandbox.out, `main.${getManifest(language).extension}`), files[entry] ?? "", { mode: 0o755 });
  return "";
}
