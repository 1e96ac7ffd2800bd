import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import type { RunOutcome, RunRequest, SharedFolder } from "../../protocol.ts";
import { removeTree } from "../process/tmp.ts";
import { settings } from "../settings.ts";
import { ArtefactError, download, unpack } from "./artefacts.ts";
import { upload } from "./upload.ts";

/** What the steps that run in one place have written so far could not be fetched. */
class SharedFolderError extends ArtefactError {
  override readonly name = "SharedFolderError";
}

/** The name of the folder in a job's directory. */
const NAME = "shared";

/** The folder `./shared` of a step: it is fetched before the job begins, and taken out of the job's directory, and kept, when the job is at rest. */
export class Shared {
  readonly #wanted: SharedFolder;
  readonly #aside: string;
  /** What every file was when the job began. */
  readonly #before: string;

  private constructor(wanted: SharedFolder, aside: string) {
    this.#wanted = wanted;
    this.#aside = aside;
    this.#before = JSON.stringify(filesIn(aside));
  }

  /** Throws `ArtefactError`. */
  static async fetch({ shared }: RunRequest): Promise<Shared | undefined> {
    if (!shared) return undefined;
    const aside = join(settings().workDir, "jobs", `${process.pid}-${randomBytes(6).toString("hex")}`);
    const { archive } = shared;
    if (archive) {
      const zip = await download(archive.url);
      if (createHash("sha256").update(zip).digest("hex") !== archive.sha256) {
        throw new SharedFolderError("The folder ./shared is damaged: its hash is not the one that was kept.");
      }
      unpack(zip, aside);
    } else mkdirSync(aside, { mode: 0o700 });
    return new Shared(shared, aside);
  }

  place(jobDirectory: string): void {
    renameSync(this.#aside, join(jobDirectory, NAME));
  }

  /** Call when nothing of the job runs any more. */
  takeFrom(jobDirectory: string): void {
    try {
      renameSync(join(jobDirectory, NAME), this.#aside);
    } catch {
      // The job has removed it: it is empty now.
    }
  }

  /** Keeps what has changed. */
  async save(): Promise<Pick<RunOutcome, "shared" | "error">> {
    const { putUrl, maxBytes } = this.#wanted;
    const files = filesIn(this.#aside);
    if (JSON.stringify(files) === this.#before) return {};
    if (files.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) {
      return failed(`The folder ./shared has become larger than ${Math.floor(maxBytes / 1_048_576)} MB, which it may hold at most.`);
    }
    const zip = zipSync(Object.fromEntries(files.map(({ path }) => [path, readFileSync(join(this.#aside, path))])), { level: 1 });
    if (!(await upload(putUrl, zip, "application/zip"))) return failed("The folder ./shared could not be kept.");
    return { shared: { sha256: createHash("sha256").update(zip).digest("hex"), bytes: zip.length } };
  }

  remove(): void {
    removeTree(this.#aside);
  }
}

const failed = (message: string) => ({ error: { name: "SharedFolderError", message } });

/** Plain files alone: a link may lead anywhere. */
function filesIn(directory: string, below = ""): { path: string; bytes: number; changedMs: number }[] {
  let names: string[];
  try {
    names = readdirSync(join(directory, below)).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = below ? `${below}/${name}` : name;
    const stat = lstatSync(join(directory, path));
    if (stat.isDirectory()) return filesIn(directory, path);
    return stat.isFile() ? [{ path, bytes: stat.size, changedMs: stat.ctimeMs }] : [];
  });
}
