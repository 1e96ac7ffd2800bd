import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import type { RunOutcome, RunRequest, SharedFolder } from "../../protocol.ts";
import { removeTree } from "../process/tmp.ts";
import { settings } from "../settings.ts";
import { ArtefactError, download, unpack } from "./artefacts.ts";
import { upload } from "./upload.ts";

/** The shared folder of a flow's steps could not be downloaded. */
class SharedFolderError extends ArtefactError {
  override readonly name = "SharedFolderError";
}

const NAME = "shared";

/** The folder `./shared` of a step: downloaded before the job begins; taken out of the job's directory and uploaded after its last process has ended. */
export class Shared {
  readonly #wanted: SharedFolder;
  readonly #aside: string;
  /** The state of every file when the job began, to detect changes. */
  readonly #before: string;

  private constructor(folder: SharedFolder, aside: string) {
    this.#wanted = folder;
    this.#aside = aside;
    this.#before = JSON.stringify(filesIn(aside));
  }

  /** Throws `ArtefactError`. */
  static async fetch({ shared }: RunRequest): Promise<Shared | undefined> {
    if (!shared) return undefined;
    const aside = join(settings().workDir, "jobs", `${process.pid}-${randomBytes(6).toString("hex")}`);
    const { archive } = shared;
    if (archive) {
      const zip = await download(archive.url, "The folder ./shared");
      if (createHash("sha256").update(zip).digest("hex") !== archive.sha256) {
        throw new SharedFolderError("The folder ./shared is damaged: its SHA-256 is not the expected one.");
      }
      unpack(zip, aside);
    } else mkdirSync(aside, { mode: 0o700 });
    return new Shared(shared, aside);
  }

  place(jobDirectory: string): void {
    renameSync(this.#aside, join(jobDirectory, NAME));
  }

  /** Moves the folder out of the job's directory. Call this after the last process of the job has ended. */
  takeFrom(jobDirectory: string): void {
    try {
      renameSync(join(jobDirectory, NAME), this.#aside);
    } catch {
      // The job removed the folder, so it counts as empty.
    }
  }

  /** Uploads the folder if it has changed. */
  async save(): Promise<Pick<RunOutcome, "shared" | "error">> {
    const { putUrl, maxBytes } = this.#wanted;
    const files = filesIn(this.#aside);
    if (JSON.stringify(files) === this.#before) return {};
    if (files.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) {
      return failed(`The folder ./shared is larger than the limit of ${Math.floor(maxBytes / 1_048_576)} MB.`);
    }
    const zip = zipSync(Object.fromEntries(files.map(({ path }) => [path, readFileSync(join(this.#aside, path))])), { level: 1 });
    if (!(await upload(putUrl, zip, "application/zip"))) return failed("The folder ./shared could not be stored.");
    return { shared: { sha256: createHash("sha256").update(zip).digest("hex"), bytes: zip.length } };
  }

  remove(): void {
    removeTree(this.#aside);
  }
}

const failed = (message: string) => ({ error: { name: "SharedFolderError", message } });

/** Lists regular files only, because a link may lead anywhere. */
function filesIn(directory: string, below = ""): { path: string; bytes: number; changedMs: number }[] {
  let names: string[];
  try {
    names = readdirSync(join(directory, below)).sort();
  } catch {
    // The run has no such folder, or its script has removed it.
    return [];
  }
  return names.flatMap((name) => {
    const path = below ? `${below}/${name}` : name;
    const stat = lstatSync(join(directory, path));
    if (stat.isDirectory()) return filesIn(directory, path);
    return stat.isFile() ? [{ path, bytes: stat.size, changedMs: stat.ctimeMs }] : [];
  });
}
