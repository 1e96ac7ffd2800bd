import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The files of the command line that every deployment serves: the package of its own version, and the JSON Schema of `svc.yaml`. */
const FILES = ["svc-cli.tgz", "svc.schema.json"];

/** Builds the files in a process of its own, because the build is asynchronous and bundling is not. */
export function cliFiles(root: string): Map<string, Uint8Array> {
  const out = mkdtempSync(join(tmpdir(), "svc-cli-"));
  try {
    const build = ["--disable-warning=ExperimentalWarning", join(root, "cli/build.ts"), out];
    execFileSync(process.execPath, build, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
    return new Map(FILES.map((name) => [name, readFileSync(join(out, name))]));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
