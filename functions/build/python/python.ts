import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { BuildRequest } from "../../../core/builds/build.ts";
import { findPythonClient } from "../../../core/builds/packages/own-clients.ts";
import { listPythonRequirements } from "../../../core/builds/packages/packages.ts";
import { readPythonImports } from "../../../core/builds/python-imports.ts";
import { BuildFailure, type BuildSandbox, pickVariables } from "../build-sandbox.ts";
import { copyOwnClient } from "../own-clients.ts";
import { findUv } from "../tools.ts";
import { readPythonLock } from "./python-lock.ts";
import { describePython } from "./python-target.ts";

/**
 * Writes scripts at their paths and installs packages in `deps/`. Only wheels are installed, because source packages would run their own
 * code here. Returns the lock. Throws `BuildFailure`.
 */
export async function buildPython(request: BuildRequest, sandbox: BuildSandbox): Promise<string> {
  for (const [path, source] of Object.entries(request.files)) {
    const file = join(sandbox.out, "scripts", `${path}.py`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, source);
  }
  await writeFile(join(sandbox.out, "svc.json"), JSON.stringify({ entry: `scripts/${request.entry}.py` }));
  const requirements = listPythonRequirements(request.files, request.target.python, request.dependencies);
  const lock = requirements.length === 0 ? "" : await installPythonPackages(requirements, request, sandbox);
  await addClients(request.files, join(sandbox.out, "deps"));
  return lock;
}

/**
 * Adds the client library under each name by which a script imports it, unless the script's requirements or lock contain a package of that
 * name.
 */
async function addClients(files: Record<string, string>, deps: string): Promise<void> {
  const names = new Set(Object.values(files).flatMap((source) => readPythonImports(source).map(findPythonClient)));
  for (const name of names) {
    if (name !== undefined && !existsSync(join(deps, name))) await copyOwnClient("python", join(deps, name));
  }
}

async function installPythonPackages(requirements: string[], request: BuildRequest, sandbox: BuildSandbox): Promise<string> {
  const { target, registries } = request;
  const dir = join(sandbox.dir, "python");
  await mkdir(dir);
  const python = await describePython(dir, target);
  const options = ["--quiet", "--no-config", "--no-python-downloads", "--only-binary", ":all:", "--python", python.path];
  options.push("--python-platform", python.platform, "--cache-dir", join(sandbox.cache, "uv"));
  if (registries.pypi) options.push("--default-index", registries.pypi);
  const env = await readOwnerSettings();
  const uv = async (args: string[], failure: string): Promise<void> => {
    const { code, output } = await sandbox.run({ command: findUv(), args: ["pip", ...args, ...options], cwd: dir, env });
    if (code !== 0) throw new BuildFailure(`${failure}: ${extractReason(output)}`);
  };
  const locked = join(dir, "requirements.txt");
  let lock = request.lock;
  if (lock) {
    await writeFile(locked, readPythonLock(lock, requirements));
  } else {
    await writeFile(join(dir, "requirements.in"), `${requirements.join("\n")}\n`);
    const resolve = ["compile", "requirements.in", "--output-file", locked, "--generate-hashes", "--no-header", "--no-annotate"];
    await uv(resolve, "The packages could not be resolved");
    lock = await readFile(locked, "utf8");
  }
  const deps = join(sandbox.out, "deps");
  // The lock is complete, so dependencies need no second resolution.
  await uv(
    ["install", "--requirement", locked, "--target", deps, "--no-deps", "--link-mode", "copy"],
    "The packages could not be installed",
  );
  await removeMachineTraces(deps);
  return lock;
}

/**
 * Removes command line tools, which name an interpreter of this build, and the installer's lock file, so that equal packages produce equal bytes.
 */
async function removeMachineTraces(deps: string): Promise<void> {
  for (const name of ["bin", ".lock"]) await rm(join(deps, name), { recursive: true, force: true });
  for (const entry of await readdir(deps)) {
    if (!entry.endsWith(".dist-info")) continue;
    const record = join(deps, entry, "RECORD");
    const lines = (await readFile(record, "utf8")).split(/\r?\n/).filter((line) => !/^(\.\.\/)*bin\//.test(line));
    await writeFile(record, lines.join("\n"));
  }
}

/** Reads the indexes that the machine's owner has set, under uv's or pip's names, in variables or in pip's own file. */
async function readOwnerSettings(): Promise<Record<string, string>> {
  const { PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, PIP_CERT } = pickVariables(["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CERT"]);
  const file = await readPipFile();
  const index = PIP_INDEX_URL ?? /^\s*index-url\s*=\s*(\S+)/m.exec(file)?.[1];
  const extra = PIP_EXTRA_INDEX_URL ?? /^\s*extra-index-url\s*=\s*(\S+)/m.exec(file)?.[1];
  return {
    ...(index && { UV_DEFAULT_INDEX: index }),
    ...(extra && { UV_INDEX: extra }),
    ...(PIP_CERT && { SSL_CERT_FILE: PIP_CERT }),
    ...pickVariables([
      "UV_DEFAULT_INDEX",
      "UV_INDEX_URL",
      "UV_INDEX",
      "UV_EXTRA_INDEX_URL",
      "UV_NATIVE_TLS",
      "UV_SYSTEM_CERTS",
      "SSL_CERT_FILE",
    ]),
  };
}

async function readPipFile(): Promise<string> {
  const configFile = process.env["PIP_CONFIG_FILE"];
  const places = configFile ? [configFile] : [join(homedir(), ".config/pip/pip.conf"), join(homedir(), ".pip/pip.conf"), "/etc/pip.conf"];
  for (const path of places) {
    // pip reads only the files that exist.
    const text = await readFile(path, "utf8").catch(() => "");
    if (text) return text;
  }
  return "";
}

/** uv prints a tree whose messages follow the branches, wrapped over several lines. */
function extractReason(output: string): string {
  const lines = output.split("\n").map((line) => line.replace(/^[\s│├╰─▶×]+/, "").trim());
  return (
    lines
      .filter(Boolean)
      .join(" ")
      .replace(/^error: /, "") || "the installer printed no error message"
  );
}
