import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildRequest, type BuildResult, buildRequestSchema } from "../../core/builds/build.ts";
import { ImportProblem } from "../../core/builds/packages.ts";
import { isSafeScriptPath } from "../../core/builds/script-paths.ts";
import { archiveOf } from "./archive.ts";
import { BuildFailure, BuildRoom } from "./build-room.ts";
import { buildGo } from "./go.ts";
import { buildJavascript } from "./javascript.ts";
import { buildPython } from "./python.ts";

/** Leaves a Lambda invocation of 5 minutes the time to say so. */
const BUILD_TIME_MS = 280_000;

/**
 * Builds one script's artefact and uploads it. What the author can mend comes back as `{ok: false}`; a failed upload or a missing tool is
 * ours and throws. The answer and the log hold nothing of the machine but what tools print.
 */
export async function handler(event: unknown): Promise<BuildResult> {
  const request = buildRequestSchema.parse(event);
  const startedMs = Date.now();
  const result = await build(request);
  // The local engine answers at once only when a call has printed something.
  console.log(JSON.stringify({ message: "build", language: request.language, ok: result.ok, ms: Date.now() - startedMs }));
  return result;
}

async function build(request: BuildRequest): Promise<BuildResult> {
  await using room = await BuildRoom.open(BUILD_TIME_MS);
  try {
    checkFiles(request);
    const lock = await make(request, room);
    room.checkTime();
    const { bytes, sha256 } = await archiveOf(room.out, request.maxArtefactBytes);
    await upload(request.uploadUrl, bytes, room.signal);
    return { ok: true, lock, sha256, bytes: bytes.length, log: room.log.toString() };
  } catch (error) {
    if (!(error instanceof BuildFailure || error instanceof ImportProblem)) throw error;
    return { ok: false, error: error.message, log: `${room.log}${error.message}\n` };
  }
}

function checkFiles({ files, entry }: BuildRequest): void {
  const unsafe = Object.keys(files).find((path) => !isSafeScriptPath(path));
  if (unsafe !== undefined) throw new BuildFailure(`"${unsafe}" is not a path of a script.`);
  if (files[entry] === undefined) throw new BuildFailure(`There is no script ${entry}.`);
}

/** Fills `room.out`; returns the lock. */
async function make(request: BuildRequest, room: BuildRoom): Promise<string> {
  switch (request.language) {
    case "bun":
    case "deno":
    case "nodejs":
      return await buildJavascript(request, room);
    case "python3":
      return await buildPython(request, room);
    case "go":
      return await buildGo(request, room);
    case "bash":
      await writeFile(join(room.out, "main.sh"), request.files[request.entry] ?? "", { mode: 0o755 });
      return "";
    default: {
      const never: never = request.language;
      throw new Error(`No builder for ${never}`);
    }
  }
}

async function upload(url: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { method: "PUT", body: bytes as Uint8Array<ArrayBuffer>, signal });
  if (!response.ok) throw new Error(`The artefact could not be stored: the upload answered ${response.status}.`);
}
