import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

/** The files that every deployment serves: the package of the command line of the same version, and the JSON Schema of `svc.yaml`. */
const FILES = ["svc-cli.tgz", "svc.schema.json"];
/** The command line itself, which function `deploy` runs. */
export const PROGRAM = ["dist/svc.mjs", "dist/program.mjs"] as const;
/** The folder with the packages of the client libraries. */
const CLIENTS = "clients";

/** Builds the files, and the packages of the client libraries, in a separate process, because the build is asynchronous and bundling is not. */
export function cliFiles(root: string): Map<string, Uint8Array> {
  const out = mkdtempSync(join(tmpdir(), "svc-cli-"));
  try {
    const build = ["--disable-warning=ExperimentalWarning", join(root, "cli/build.ts"), out];
    execFileSync(process.execPath, build, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
    const packages = readdirSync(join(out, CLIENTS), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = [...FILES, ...PROGRAM, ...packages.map(({ parentPath, name }) => relative(out, join(parentPath, name)))];
    return new Map(names.map((name) => [name, readFileSync(join(out, name))]));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
