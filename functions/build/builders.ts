import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getManifest, type RunnerManifest } from "../../contract/languages.ts";
import type { BuildRequest } from "../../core/builds/build.ts";
import type { BuildRoom } from "./build-room.ts";
import { buildGo } from "./go/go.ts";
import { buildJavascript } from "./javascript/javascript.ts";
import { buildPython } from "./python/python.ts";

/** Fills `room.out` with the artefact's files and returns the lock, empty when nothing was resolved. Throws `BuildFailure`. */
type Builder = (request: BuildRequest, room: BuildRoom) => Promise<string>;

/** The builders by the name that a manifest gives them. */
export const builders: Record<RunnerManifest["build"], Builder> = {
  javascript: buildJavascript,
  python: buildPython,
  go: buildGo,
  file: buildFile,
};

/** The source itself is the artefact. */
async function buildFile({ language, files, entry }: BuildRequest, room: BuildRoom): Promise<string> {
  await writeFile(join(room.out, `main.${getManifest(language).extension}`), files[entry] ?? "", { mode: 0o755 });
  return "";
}
